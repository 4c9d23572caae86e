#include "agent/session/turn.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

TEST(Turn, AnswersWithTheLastText) {
  Scripted scripted;
  scripted.model.reply(says("Hello."));
  const auto result = scripted.result_of("hi");
  EXPECT_EQ(scripted.sink.story(), "started reply:text");
  EXPECT_EQ(result.text, "Hello.");
  EXPECT_EQ(result.terminal_reason, TerminalReason::completed);
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.num_turns, 1);
  EXPECT_EQ(result.usage.output_tokens, 5);
  EXPECT_EQ(scripted.model.asked.at(0).messages,
            "user:[{\"type\":\"text\",\"text\":\"You are here.\"},"
            "{\"type\":\"text\",\"text\":\"hi\"}]\n");
}

TEST(Turn, KeepsTheConversationFromTurnToTurn) {
  Scripted scripted;
  scripted.model.reply(says("one"));
  scripted.model.reply(says("two"));
  scripted.result_of("first");
  scripted.result_of("second");
  const auto& messages = scripted.model.asked.at(1).messages;
  EXPECT_TRUE(messages.contains("assistant:[{\"type\":\"text\",\"text\":\"one\"}]"));
  EXPECT_TRUE(messages.ends_with("user:[{\"type\":\"text\",\"text\":\"second\"}]\n"));
  EXPECT_EQ(messages.find("You are here."), messages.rfind("You are here."));
}

TEST(Turn, RunsToolsUntilTheModelIsDone) {
  Scripted scripted;
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  scripted.model.reply(says("Seen."));
  const auto result = scripted.result_of("look");
  EXPECT_EQ(scripted.sink.story(), "started reply:call user reply:text");
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains(
      R"({"tool_use_id":"1","type":"tool_result","content":"did Look"})"));
  EXPECT_EQ(result.text, "Seen.");
  EXPECT_EQ(result.num_turns, 2);
}

TEST(Turn, PutsFollowUpsBehindTheResultsOfAllCalls) {
  Scripted scripted;
  scripted.tools.follow_up = "by the way";
  scripted.model.reply(reply_of({call_block("1", "Look"), call_block("2", "Look")}, "tool_use"));
  scripted.model.reply(says("Seen."));
  scripted.result_of("look");
  const auto& messages = scripted.model.asked.at(1).messages;
  EXPECT_LT(messages.find(R"("tool_use_id":"2")"), messages.find(R"("tool_use_id":"1")"));
  EXPECT_LT(messages.find(R"("tool_use_id":"1")"), messages.find("by the way"));
}

TEST(Turn, AddsMessagesThatArriveWhileToolsRun) {
  Scripted scripted;
  scripted.tools.before_call = [&](const api::Block&) {
    scripted.inbox.push({.content = text_content("also this"), .uuid = "u2"});
  };
  // The inbox hands the first message to an idle agent: it must be at work.
  scripted.inbox.push({.content = text_content("first")});
  ASSERT_EQ(scripted.inbox.next({}).size(), 1U);
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  scripted.model.reply(says("Both."));
  const auto answered = scripted.ask("look", "u1");
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->messages, MessageIds{"u1"});
  EXPECT_EQ(answered->folded_in, MessageIds{"u2"});
  EXPECT_EQ(scripted.sink.story(), "started:u1 started reply:call user started:u2 reply:text");
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains("also this"));
}

TEST(Turn, KeepsTheTextOfAReplyThatIsInterrupted) {
  Scripted scripted;
  scripted.model.steps.push_back([&](api::Listener&) {
    scripted.control.interrupt();
    auto reply = reply_of({});
    reply.whole = false;
    reply.open = text_block("Half a");
    return api::Answer{reply, api::Failure{.kind = api::FailureKind::cancelled}};
  });
  const auto result = scripted.result_of("talk");
  EXPECT_EQ(result.subtype, ResultSubtype::execution);
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_streaming);
  EXPECT_EQ(scripted.sink.story(), "started reply:text user");
  scripted.model.reply(says("Yes."));
  scripted.result_of("go on");
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains("Half a"));
}

TEST(Turn, AnInterruptedToolCallHasAResultThatSaysSo) {
  Scripted scripted;
  scripted.tools.before_call = [&](const api::Block&) { scripted.control.interrupt(); };
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  const auto result = scripted.result_of("look");
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_tools);
  ASSERT_EQ(scripted.sink.inputs.size(), 2U);
  EXPECT_TRUE(scripted.sink.inputs[0].contains("The user interrupted this call"));
  EXPECT_TRUE(scripted.sink.inputs[1].contains("[Request interrupted by user for tool use]"));
}

TEST(Turn, AnAbandonedTurnHasNoResult) {
  Scripted scripted;
  scripted.model.steps.push_back([&](api::Listener&) {
    scripted.control.abandon(1);
    return ScriptedModel::fails({.kind = api::FailureKind::cancelled});
  });
  EXPECT_FALSE(scripted.ask("hi"));
  EXPECT_EQ(scripted.sink.story(), "started");
}

TEST(Turn, ContinuesAfterTheLengthLimitThreeTimes) {
  Scripted scripted;
  for (int i = 0; i < 4; ++i) scripted.model.reply(says("part", "max_tokens"));
  const auto result = scripted.result_of("write");
  EXPECT_EQ(scripted.sink.story(),
            "started reply:text nudge reply:text nudge reply:text nudge reply:text "
            "error:max_output_tokens");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.api_error, ApiErrorCode::max_output_tokens);
}

TEST(Turn, ARefusalIsNotedOnceThenEndsTheTurn) {
  Scripted scripted;
  scripted.model.reply(says("I", "refusal"));
  scripted.model.reply(says("I", "refusal"));
  const auto result = scripted.result_of("do it");
  EXPECT_EQ(scripted.sink.story(),
            "started reply:text notice nudge reply:text refused error:invalid_request");
  EXPECT_EQ(result.stop_reason.word(), "refusal");
  EXPECT_EQ(result.safety_stops, 2);
}

TEST(Turn, FallsBackToTheNextModelWhenOneIsOverloaded) {
  Scripted scripted;
  scripted.options.fallback_models = {"claude-haiku-4-5"};
  scripted.model.fail({.kind = api::FailureKind::status, .status = 529});
  scripted.model.reply(says("Here."));
  const auto result = scripted.result_of("hi");
  EXPECT_EQ(result.text, "Here.");
  ASSERT_EQ(scripted.model.asked.size(), 2U);
  EXPECT_NE(scripted.model.asked[0].model, scripted.model.asked[1].model);
  EXPECT_TRUE(scripted.model.asked[1].model.contains("haiku"));
  EXPECT_TRUE(scripted.sink.story().starts_with("started model:")) << scripted.sink.story();
}

TEST(Turn, WithoutACredentialNothingIsAsked) {
  Scripted scripted;
  scripted.model.is_available = false;
  const auto result = scripted.result_of("hi");
  EXPECT_TRUE(scripted.model.asked.empty());
  EXPECT_EQ(scripted.sink.story(), "started error:authentication_failed");
  EXPECT_TRUE(result.is_error);
}

TEST(Turn, EndsAtTheTurnLimit) {
  Scripted scripted;
  scripted.limits.max_turns = 1;
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  const auto result = scripted.result_of("look");
  EXPECT_EQ(result.subtype, ResultSubtype::max_turns);
  EXPECT_EQ(result.terminal_reason, TerminalReason::max_turns);
}

TEST(Turn, EndsWhenTheBudgetIsSpent) {
  Scripted scripted;
  scripted.limits.max_budget_usd = 0.000001;
  scripted.model.reply(says("Expensive."));
  const auto result = scripted.result_of("hi");
  EXPECT_EQ(result.subtype, ResultSubtype::max_budget);
  EXPECT_EQ(result.terminal_reason, TerminalReason::budget_exhausted);
  EXPECT_EQ(scripted.result_of("again").subtype, ResultSubtype::max_budget);
  EXPECT_EQ(scripted.model.asked.size(), 1U);
}

TEST(Turn, TheLoopGuardWarnsThenStops) {
  Scripted scripted;
  scripted.limits.loop_guard = 2;
  for (int i = 0; i < 4; ++i) {
    scripted.model.reply(reply_of({call_block(std::to_string(i), "Look")}, "tool_use"));
  }
  const auto result = scripted.result_of("look");
  EXPECT_EQ(result.terminal_reason, TerminalReason::loop_guard);
  EXPECT_EQ(scripted.sink.story(),
            "started reply:call user reply:call user nudge reply:call user reply:call user "
            "error:loop_guard");
}

class StructuredTurn : public ::testing::Test {
 protected:
  StructuredTurn() : output_(StructuredOutput::make(R"({"type":"object","required":["n"]})")) {
    scripted_.structured = output_ ? &*output_ : nullptr;
  }
  Result<StructuredOutput> output_;
  Scripted scripted_;
};

TEST_F(StructuredTurn, DemandsTheToolOnceAndTakesItsInputAsTheAnswer) {
  scripted_.model.reply(says("Seven."));
  scripted_.model.reply(reply_of({call_block("1", "StructuredOutput", R"({"n":7})")}, "tool_use"));
  const auto result = scripted_.result_of("how many");
  EXPECT_EQ(scripted_.sink.story(), "started reply:text nudge reply:call user");
  EXPECT_EQ(result.structured_output, R"({"n":7})");
  EXPECT_EQ(result.terminal_reason, TerminalReason::completed);
  EXPECT_EQ(scripted_.sink.tools, (std::vector<std::string>{"Look", "StructuredOutput"}));
}

TEST_F(StructuredTurn, GivesUpAfterInvalidAnswers) {
  scripted_.limits.max_structured_failures = 2;
  for (int i = 0; i < 2; ++i) {
    scripted_.model.reply(reply_of({call_block("1", "StructuredOutput")}, "tool_use"));
  }
  const auto result = scripted_.result_of("how many");
  EXPECT_EQ(result.subtype, ResultSubtype::max_structured_retries);
  EXPECT_EQ(result.terminal_reason, TerminalReason::structured_output_retries);
}

}  // namespace
}  // namespace ralph::session

#include "agent/session/compactor.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

/// A reply after which the window of 200,000 tokens is nearly full.
api::Reply fills_the_window() {
  auto full = says("Long.");
  full.usage.input_tokens = 199'000;
  return full;
}

api::Failure too_long() {
  return api::failure_of(400, "prompt is too long: 210000 tokens > 200000 maximum", "req");
}

TEST(Compactor, ReplacesAConversationThatFillsTheWindow) {
  Scripted scripted;
  scripted.model.reply(fills_the_window());
  scripted.model.reply(says("<summary>They talked.</summary>"));
  scripted.model.reply(says("On it."));
  scripted.result_of("first");
  const auto result = scripted.result_of("second");
  EXPECT_EQ(result.text, "On it.");
  EXPECT_EQ(scripted.sink.story(),
            "started reply:text started compacting:auto compacted boundary nudge reply:text");
  ASSERT_EQ(scripted.model.asked.size(), 3U);
  EXPECT_TRUE(scripted.model.asked[1].is_last);
  const auto& messages = scripted.model.asked[2].messages;
  EXPECT_TRUE(messages.contains("They talked."));
  EXPECT_TRUE(messages.contains("You are here."));
  EXPECT_FALSE(messages.contains("Long."));
  EXPECT_TRUE(messages.contains("second"));
}

TEST(Compactor, FailsTheTurnWhenTheModelGivesNoSummary) {
  Scripted scripted;
  scripted.model.reply(fills_the_window());
  scripted.model.reply(says(""));
  scripted.model.reply(says(""));
  scripted.result_of("first");
  const auto result = scripted.result_of("second");
  EXPECT_EQ(result.terminal_reason, TerminalReason::prompt_too_long);
  EXPECT_TRUE(scripted.sink.story().ends_with(
      "compacting:auto not_compacted:no_summary error:invalid_request"));
}

TEST(Compactor, SummarizesOnDemandWithoutAnswering) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.reply(says("<summary>Short.</summary>"));
  scripted.result_of("first");
  const auto answered = scripted.session->compact({.content = text_content("/compact")}, "", {});
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->result.local_command, "compact");
  EXPECT_EQ(answered->result.num_turns, 0);
  EXPECT_EQ(scripted.sink.story(),
            "started reply:text compacting:manual compacted started boundary nudge user");
}

TEST(Compactor, SummarizesWhenTheApiRejectsTheConversationAsTooLong) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.fail(too_long());
  scripted.model.reply(says("<summary>Short.</summary>"));
  scripted.model.reply(says("Two."));
  scripted.result_of("first");
  EXPECT_EQ(scripted.result_of("second").text, "Two.");
  EXPECT_EQ(scripted.sink.story(),
            "started reply:text started compacting:auto compacted boundary nudge reply:text");
}

TEST(Compactor, ShortensWhatIsSummarizedUntilTheApiAcceptsIt) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.reply(fills_the_window());
  scripted.model.fail(too_long());
  scripted.model.reply(says("<summary>Short.</summary>"));
  scripted.model.reply(says("Three."));
  scripted.result_of(std::string(200'000, 'x'));
  scripted.result_of("second");
  EXPECT_EQ(scripted.result_of("third").text, "Three.");
  ASSERT_EQ(scripted.model.asked.size(), 5U);
  EXPECT_LT(scripted.model.asked[3].messages.size(), scripted.model.asked[2].messages.size());
}

TEST(Compactor, EndsTheTurnWhenAutomaticCompactionIsDisabled) {
  Scripted scripted;
  scripted.environment = settings::Environment({"DISABLE_AUTO_COMPACT=1"});
  scripted.model.reply(fills_the_window());
  scripted.result_of("first");
  EXPECT_EQ(scripted.result_of("second").terminal_reason, TerminalReason::compaction_disabled);
  EXPECT_EQ(scripted.model.asked.size(), 1U);
}

TEST(Compactor, StopsWhenTheWindowFillsAgainRightAwaySeveralTimes) {
  Scripted scripted;
  scripted.model.reply(fills_the_window());
  for (int i = 0; i < 3; ++i) {
    scripted.model.reply(says("<summary>Short.</summary>"));
    scripted.model.reply(fills_the_window());
  }
  for (int i = 0; i < 4; ++i) scripted.result_of("more");
  const auto result = scripted.result_of("more");
  EXPECT_EQ(result.terminal_reason, TerminalReason::context_thrashing);
  EXPECT_EQ(result.api_error, ApiErrorCode::context_thrashing);
}

TEST(Compactor, AnInterruptWhileSummarizingEndsTheTurnAndKeepsTheConversation) {
  Scripted scripted;
  scripted.model.reply(fills_the_window());
  scripted.model.steps.push_back([&](api::Listener&) {
    scripted.control.interrupt();
    return ScriptedModel::fails({.kind = api::FailureKind::cancelled});
  });
  scripted.result_of("first");
  const auto result = scripted.result_of("second");
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_streaming);
  EXPECT_TRUE(scripted.sink.story().contains("compacting:auto not_compacted:cancelled"));
  EXPECT_FALSE(scripted.sink.story().contains("boundary"));
}

TEST(Compactor, TheNextFallbackModelSummarizesWhenOneIsOverloaded) {
  Scripted scripted;
  scripted.options.fallback_models = {"claude-haiku-4-5"};
  scripted.model.reply(fills_the_window());
  scripted.model.fail(api::failure_of(529, "Overloaded", ""));
  scripted.model.reply(says("<summary>Short.</summary>"));
  scripted.model.reply(says("Two."));
  scripted.result_of("first");
  EXPECT_EQ(scripted.result_of("second").text, "Two.");
  ASSERT_EQ(scripted.model.asked.size(), 4U);
  EXPECT_TRUE(scripted.model.asked[2].model.contains("haiku"));
}

TEST(Compactor, ChargesTheSummary) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.reply(says("<summary>Short.</summary>"));
  scripted.result_of("first");
  scripted.session->compact({.content = text_content("/compact")}, "", {});
  ASSERT_EQ(scripted.ledger.totals().size(), 1U);
  EXPECT_EQ(scripted.ledger.totals()[0].usage.input_tokens, 20);
}

}  // namespace
}  // namespace ralph::session

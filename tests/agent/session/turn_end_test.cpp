#include "agent/session/turn_end.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

/// A turn of one message, u1, that is about to end.
struct EndParts {
  Scripted scripted;
  SessionState state = scripted.state();
  TurnStats stats;
  TurnHooks hooks{state};
  TurnMessages messages{state, stats, hooks, {prompt("do it", "u1")}};
  ReplyReporter reporter{state, stats};
  ToolRound tools{state, stats};
  TurnEnd end{state, stats, reporter, tools, messages};
};

TEST(TurnEnd, AResultHasTheNumbersOfItsTurn) {
  EndParts parts;
  parts.messages.begin();
  parts.stats.added_messages = 2;
  parts.stats.usage.output_tokens = 7;
  parts.state.api_time = Millis{30};
  const auto result = parts.end.finished("Done.", {});
  EXPECT_EQ(result.text, "Done.");
  EXPECT_EQ(result.terminal_reason, TerminalReason::completed);
  EXPECT_FALSE(result.structured_output);
  EXPECT_EQ(result.num_turns, 3);
  EXPECT_EQ(result.usage.output_tokens, 7);
  EXPECT_EQ(result.api_duration, Millis{30});
  EXPECT_EQ(result.answers, MessageIds{"u1"});
  EXPECT_FALSE(result.of_task);
}

TEST(TurnEnd, ABlockedPromptIsATurnOnlyIfTheModelWasAsked) {
  EndParts parts;
  EXPECT_EQ(parts.end.blocked("no").num_turns, 0);
  parts.stats.requests = 1;
  EXPECT_EQ(parts.end.blocked("no").num_turns, 1);
  const auto result = parts.end.stopped_at_message("enough");
  EXPECT_EQ(result.text, "enough");
  EXPECT_EQ(result.terminal_reason, TerminalReason::hook_stopped);
  EXPECT_FALSE(result.is_error);
}

TEST(TurnEnd, AFailureIsShown) {
  EndParts parts;
  const auto result = parts.end.no_room({.text = "too long",
                                         .terminal_reason = TerminalReason::context_thrashing,
                                         .api_error = ApiErrorCode::context_thrashing});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.text, "too long");
  EXPECT_EQ(result.terminal_reason, TerminalReason::context_thrashing);
  EXPECT_EQ(result.api_error, ApiErrorCode::context_thrashing);
  EXPECT_EQ(parts.scripted.sink.story(), "error:invalid_request");
}

TEST(TurnEnd, ACancelledCompactionIsAnInterrupt) {
  EndParts parts;
  const auto result = parts.end.no_room({.failure = CompactFailure::cancelled});
  EXPECT_EQ(result.subtype, ResultSubtype::execution);
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_streaming);
  EXPECT_EQ(parts.scripted.sink.story(), "user");
  ASSERT_EQ(parts.state.conversation.messages().size(), 1U);
  EXPECT_EQ(parts.state.conversation.messages()[0].content,
            text_content("[Request interrupted by user]"));
}

TEST(TurnEnd, AnInterruptedRoundOfToolsCountsTheNoteToTheModel) {
  EndParts parts;
  const auto result = parts.end.interrupted_tools({});
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_tools);
  EXPECT_EQ(result.num_turns, 2);
  EXPECT_EQ(result.errors, std::vector<std::string>{"the turn was interrupted"});
}

TEST(TurnEnd, ABudgetIsNamed) {
  EndParts parts;
  parts.state.config.limits.max_budget_usd = 0.5;
  const auto result = parts.end.budget_reached({});
  EXPECT_EQ(result.subtype, ResultSubtype::max_budget);
  EXPECT_EQ(result.errors, std::vector<std::string>{"Reached maximum budget ($0.5)"});
}

TEST(TurnEnd, ACompactionIsACommandWithoutATurn) {
  EndParts parts;
  parts.stats.to_request = Millis{5};
  const auto result = parts.end.compacted("Compacted ");
  EXPECT_EQ(result.local_command, "compact");
  EXPECT_EQ(result.num_turns, 0);
  EXPECT_FALSE(result.to_request);
  EXPECT_EQ(parts.scripted.sink.inputs.at(0),
            R"("<local-command-stdout>Compacted </local-command-stdout>")");
}

}  // namespace
}  // namespace ralph::session

#include "agent/session/turn_result.h"

#include <gtest/gtest.h>

#include "agent/session/event.h"

namespace ralph::session {
namespace {

TEST(TurnResult, SubtypesAreNamedAsInClaudeCode) {
  EXPECT_EQ(to_string(ResultSubtype::success), "success");
  EXPECT_EQ(to_string(ResultSubtype::max_turns), "error_max_turns");
  EXPECT_EQ(to_string(ResultSubtype::max_budget), "error_max_budget_usd");
  EXPECT_EQ(to_string(ResultSubtype::max_structured_retries),
            "error_max_structured_output_retries");
  EXPECT_EQ(to_string(ResultSubtype::execution), "error_during_execution");
}

TEST(TurnResult, TerminalReasonsAreNamedAsInClaudeCode) {
  EXPECT_EQ(to_string(TerminalReason::none), "");
  EXPECT_EQ(to_string(TerminalReason::completed), "completed");
  EXPECT_EQ(to_string(TerminalReason::image_error), "image_error");
  EXPECT_EQ(to_string(TerminalReason::structured_output_retries),
            "structured_output_retry_exhausted");
  EXPECT_EQ(to_string(TerminalReason::context_thrashing), "rapid_refill_breaker");
  EXPECT_EQ(to_string(TerminalReason::compaction_disabled), "blocking_limit");
  EXPECT_EQ(to_string(TerminalReason::loop_guard), "loop_guard");
}

TEST(Event, StatesAndCompactionAreNamedAsInClaudeCode) {
  EXPECT_EQ(to_string(MessageState::queued), "queued");
  EXPECT_EQ(to_string(MessageState::completed), "completed");
  EXPECT_EQ(to_string(CompactTrigger::automatic), "auto");
  EXPECT_EQ(to_string(CompactTrigger::manual), "manual");
  EXPECT_EQ(to_string(CompactFailure::cancelled), "cancelled");
  EXPECT_EQ(to_string(CompactFailure::still_too_long), "still_too_long");
}

}  // namespace
}  // namespace ralph::session

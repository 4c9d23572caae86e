#include "bench/trial/status.h"

#include <gtest/gtest.h>

namespace ralph::trial {
namespace {

// FR-011: "System MUST return execution status as "success", "failed", or "timeout" based on exit code and timing".
// 4.8: "status `success`, `failed`, `timeout` (FR-011); a crash is `failed` with the OS exit code and stderr".

EndFacts ended(int code) {
  EndFacts facts;
  facts.exit_code = code;
  return facts;
}

// US1-3: "When exit code is 0, Then execution status is marked as "success"".
TEST(TrialStatus, AResultWithExitCodeZeroIsSuccess) {
  auto facts = ended(0);
  facts.has_result = true;
  EXPECT_EQ(status_of(facts), TrialStatus::success);
}

// US1-4: "When exit code is non-zero, Then execution status is marked as "failed" with error details".
TEST(TrialStatus, ANonZeroExitCodeIsFailedAlsoAfterAGoodResult) {
  auto facts = ended(3);
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
  facts.has_result = true;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, ASignalIsFailedAlsoAfterAGoodResult) {
  EndFacts facts;
  facts.signal = 11;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
  facts.has_result = true;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, AnErrorResultWithExitCodeZeroIsFailed) {
  auto facts = ended(0);
  facts.has_result = facts.result_is_error = true;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, ALingeringAgentThatWeEndedAfterItsResultIsSuccess) {
  EndFacts facts;
  facts.signal = 15;
  facts.time_limit = facts.has_result = true;
  EXPECT_EQ(status_of(facts), TrialStatus::success);
  facts.result_is_error = true;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, ATimeLimitBeforeTheResultIsTimeout) {
  EndFacts facts;
  facts.signal = 15;
  facts.time_limit = true;
  EXPECT_EQ(status_of(facts), TrialStatus::timeout);
  facts.signal.reset();
  facts.exit_code = 0;  // it ended by itself when asked
  EXPECT_EQ(status_of(facts), TrialStatus::timeout);
}

TEST(TrialStatus, PlainTextCountsByItsExitCode) {
  auto facts = ended(0);
  facts.plain_text = true;
  EXPECT_EQ(status_of(facts), TrialStatus::success);
  facts.exit_code = 1;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, AStreamWithoutAResultIsFailed) {
  EXPECT_EQ(status_of(ended(0)), TrialStatus::failed);
}

TEST(TrialStatus, LostOutputIsFailed) {
  auto facts = ended(0);
  facts.has_result = facts.broken = true;
  EXPECT_EQ(status_of(facts), TrialStatus::failed);
}

TEST(TrialStatus, CancelledIsCancelledAndFailedInFiles) {
  auto facts = ended(0);
  facts.cancelled = true;
  EXPECT_EQ(status_of(facts), TrialStatus::cancelled);
  EXPECT_EQ(file_word(TrialStatus::cancelled), "failed");
  EXPECT_EQ(to_string(TrialStatus::cancelled), "cancelled");
}

TEST(TrialStatus, AnUnknownEndIsFailed) { EXPECT_EQ(status_of({}), TrialStatus::failed); }

}  // namespace
}  // namespace ralph::trial

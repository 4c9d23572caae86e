#include "harness/store/loop_event.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/store/loop_event_log.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

const UtcTime kNow = *parse_iso("2026-11-15T14:00:00.250Z");

std::vector<LoopStep> one_of_each() {
  return {
      LoopStarted{"20261115-1", "claude", "opus", "GOAL.md", true, 7, 2.5},
      LoopStarted{"20261115-1", "claude", "", "", false, std::nullopt, std::nullopt},
      IterationStarted{3, AgentRole::worker, "20261115-2"},
      IterationStarted{3, AgentRole::summarizer, "20261115-3"},
      GuidanceTaken{3, 2},
      IterationEnded{3, AgentRole::worker, "20261115-2", LoopDecision::refused, false, true, true,
                     0.25, Millis{61'000}},
      IterationEnded{},
      VerificationStarted{{"make test", "a \"b\" \\ \n ü"}},
      VerificationStarted{},
      VerificationEnded{true, Millis{100}, "in a clean clone", "", "", ""},
      VerificationEnded{false, Millis{100}, "", "make test", "exit code 2", "tail\nof it"},
      DoneRefused{3, 2},
      IterationCommitted{"abc", 3},
      IterationRolledBack{"abc", 3},
      WaitStarted{WaitReason::rate_limit, "rate limit reached", kNow + Millis{60'000}},
      WaitStarted{WaitReason::outage, "model API overloaded", kNow},
      LoopNote{stream::Level::warning, "careful"},
      LoopEnded{StopReason::cost_per_day, "", 5},
      LoopEnded{StopReason::done, "why", 0},
  };
}

TEST(LoopEvent, WhatIsWrittenIsRead) {
  for (const auto& step : one_of_each()) {
    const LoopEvent event{kNow, step};
    const auto line = write_event(event);
    EXPECT_EQ(line.find('\n'), line.npos) << line;
    const auto back = read_event(line);
    ASSERT_TRUE(back) << line;
    EXPECT_EQ(*back, event) << line;
  }
}

TEST(LoopEvent, EveryKindOfStepIsTested) {
  std::vector<bool> seen(std::variant_size_v<LoopStep>, false);
  for (const auto& step : one_of_each()) seen[step.index()] = true;
  seen[LoopStep(UnknownStep()).index()] = true;
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

TEST(LoopEvent, AStepOfAnotherVersionIsKept) {
  const auto* const line =
      R"({"type":"loop","step":"danced","at":"2026-11-15T14:00:00.250Z","with":"whom"})";
  const auto event = read_event(line);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at, kNow);
  EXPECT_EQ(event->step, LoopStep(UnknownStep{"danced", line}));
  EXPECT_EQ(write_event(*event), line);
}

TEST(LoopEvent, WhatIsNoEventIsNone) {
  EXPECT_FALSE(read_event(""));
  EXPECT_FALSE(read_event("[]"));
  EXPECT_FALSE(read_event(R"({"type":"loop","step":"note"})")) << "without a time";
  EXPECT_FALSE(read_event(R"({"type":"text","step":"note","at":"2026-11-15T14:00:00Z"})"));
  const auto event =
      read_event(R"({"type":"loop","step":"note","at":"2026-11-15T14:00:00Z","text":3})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->step, LoopStep(LoopNote())) << "a member of another type says nothing";
}

class LoopEventLogTest : public testing::Test {
 protected:
  std::string text(const char* name) { return test::text_of(folder_ / name); }
  static LoopEvent note(std::string text) {
    return {kNow, LoopNote{stream::Level::info, std::move(text)}};
  }

  test::TempFolder folder_;
  Masker masker_;
  Location place_{folder_.path()};
};

TEST_F(LoopEventLogTest, EachStepIsALineOfAPrivateFile) {
  const LoopEventLog log(place_, masker_);
  ASSERT_TRUE(log.append(note("one")));
  ASSERT_TRUE(log.append(note("two")));
  EXPECT_EQ(text("loop.ndjson"), write_event(note("one")) + "\n" + write_event(note("two")) + "\n");
  EXPECT_EQ(test::mode_of(folder_ / "loop.ndjson"), 0600U);
}

TEST_F(LoopEventLogTest, AFileThatWasRemovedIsMadeAgain) {
  const LoopEventLog log(place_, masker_);
  ASSERT_TRUE(log.append(note("one")));
  std::filesystem::remove(folder_ / "loop.ndjson");
  ASSERT_TRUE(log.append(note("two")));
  EXPECT_EQ(text("loop.ndjson"), write_event(note("two")) + "\n");
}

TEST_F(LoopEventLogTest, ALineThatACrashCutStaysALineOfItsOwn) {
  folder_.write("loop.ndjson", R"({"type":"lo)");
  ASSERT_TRUE(LoopEventLog(place_, masker_).append(note("two")));
  EXPECT_EQ(text("loop.ndjson"), "{\"type\":\"lo\n" + write_event(note("two")) + "\n");
}

TEST_F(LoopEventLogTest, AFileThatGrewTooLargeIsRotatedOnce) {
  const LoopEventLog log(place_, masker_, 1);
  for (const auto* each : {"one", "two", "three"}) ASSERT_TRUE(log.append(note(each)));
  EXPECT_EQ(text("loop.1.ndjson"), write_event(note("two")) + "\n");
  EXPECT_EQ(text("loop.ndjson"), write_event(note("three")) + "\n");
}

TEST_F(LoopEventLogTest, LongTextsAreCut) {
  const LoopEventLog log(place_, masker_);
  ASSERT_TRUE(log.append(note(std::string(100'000, 'x'))));
  EXPECT_LT(text("loop.ndjson").size(), 2 * LoopEventLog::kLongestText);
  EXPECT_TRUE(read_event(text("loop.ndjson")));
}

TEST_F(LoopEventLogTest, TheLastStepIsTheNewestThatIsNoNote) {
  EXPECT_FALSE(last_loop_step(place_));
  const LoopEventLog log(place_, masker_);
  ASSERT_TRUE(log.append(note("one")));
  EXPECT_FALSE(last_loop_step(place_));
  ASSERT_TRUE(log.append({kNow, IterationStarted{1, AgentRole::worker, "r1"}}));
  ASSERT_TRUE(log.append({kNow + Millis{5}, VerificationStarted{{"make"}}}));
  ASSERT_TRUE(log.append(note("two")));
  EXPECT_EQ(last_loop_step(place_), (LoopEvent{kNow + Millis{5}, VerificationStarted{{"make"}}}));
}

TEST_F(LoopEventLogTest, ALinkInItsPlaceIsNotFollowed) {
  folder_.write("other", "precious\n");
  std::filesystem::create_symlink("other", folder_ / "loop.ndjson");
  EXPECT_FALSE(LoopEventLog(place_, masker_).append(note("one")));
  EXPECT_EQ(text("other"), "precious\n");
}

}  // namespace
}  // namespace ralph::store

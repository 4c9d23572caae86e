#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/workspace.h"
#include "system/process/harness.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

LoopRecord iteration(std::int64_t n, std::string progress) {
  LoopRecord record;
  record.iteration = n;
  record.at = *parse_iso("2026-11-15T14:00:00.123Z");
  record.run_id = "run-" + std::to_string(n);
  record.progress = std::move(progress);
  record.outcome = stream::Outcome::ok;
  record.changed = true;
  record.cost_usd = 0.25;
  return record;
}

class LoopFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Workspace::open(folder_.path()));
    fs::create_directories(files_.folder());
  }
  process::TempFolder folder_;
  LoopStateFiles files_{folder_.path()};
  std::int64_t bad_ = 0;
};

TEST(LoopRecord, IsReadBackAsItWasWritten) {
  auto record = iteration(7, "Fixed \"it\".\nNext: the docs \xE2\x9C\x93");
  record.step = LoopRecord::Step::attempt;
  record.failed = record.done = true;
  record.tree = "abc";
  record.commit = "def";
  record.verification = Verification{false, "make test", "exit code 2", "1 failed\n", Millis{1234}};
  record.tokens = {1, 2, 3, 4, 0};
  record.time = {Millis{10}, Millis{20}, Millis{30}};
  record.tool_calls = 9;
  const auto line = write_record(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(read_record(line), record);
}

TEST(LoopRecord, WhatCannotBeOneIsNone) {
  for (const auto* line :
       {"", "7", "[]", "{}", "{\"step\":\"iteration\",\"timestamp\":\"yesterday\"}",
        "{\"step\":\"iteration\",\"timestamp\":\"2026-11-15T14:00:00Z\",\"iteration\":-1}"}) {
    EXPECT_FALSE(read_record(line)) << line;
  }
  const auto odd = read_record(
      R"({"step":"iteration","timestamp":"2026-11-15T14:00:00Z","iteration":1,"cost_usd":-4,"tokens":[],"progress":7})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->cost_usd, std::nullopt);
  EXPECT_EQ(odd->progress, "");
}

TEST(LoopRecord, AStepWeDoNotKnowStillCostSomething) {
  const auto odd = read_record(
      R"({"step":"other","timestamp":"2026-11-15T14:00:00Z","iteration":1,"cost_usd":0.5})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->step, LoopRecord::Step::attempt);
  EXPECT_EQ(odd->cost_usd, 0.5);
}

TEST_F(LoopFiles, TheStateIsReadBackAsItWasSaved) {
  LoopState state;
  state.loop_id = "20261115-1";
  state.status = LoopStatus::waiting;
  state.goal = "Make it so";
  state.goal_file = "GOAL.md";
  state.started = *parse_iso("2026-11-15T14:00:00Z");
  state.updated = *parse_iso("2026-11-15T14:05:00Z");
  state.pid = 42;
  state.backend = "builtin";
  state.model = "sonnet";
  state.flags = {{"max_cost", {"5"}}, {"commit", {}}};
  state.verify_digest = "d";
  state.settings = {{"model", "opus"}};
  state.left_out = {"GOAL.md"};
  state.moved = {"b"};
  state.git_digest = "g";
  state.aside = "before";
  state.fresh_from = 2;
  state.tree_at_start = "t";
  state.commit_at_start = "c";
  state.branch_at_start = "refs/heads/main";
  state.files_before = UtcTime(Millis{1'700'000'000'123});
  state.current =
      Current{3, "run", state.updated, Phase::verify, "tb", "cb", "refs/heads/x", {"a.md"}};
  state.waiting_until = state.updated;
  state.waiting_for = "rate limit reached";
  state.earlier_days = {{"2026-11-14", 1.5}};
  state.ran = Millis{300'000};
  state.waited = Millis{20'000};
  state.would_wait = Millis{63'000};
  state.verify = {"make test"};
  state.max_iterations = 50;
  state.max_cost_usd = 5;
  state.max_cost_per_day_usd = 7;
  state.max_time = Millis{60000};
  ASSERT_TRUE(files_.save(state));
  std::string warning;
  const auto loaded = files_.load(warning);
  ASSERT_TRUE(loaded && *loaded) << warning;
  EXPECT_EQ(**loaded, state);
  struct stat info{};
  ASSERT_EQ(::stat((files_.folder() / "loop.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(LoopFiles, AStateThatIsNoneIsMovedAside) {
  std::ofstream(files_.folder() / "loop.json") << "{\"loop_id\":";
  std::string warning;
  const auto loaded = files_.load(warning);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(*loaded);
  EXPECT_TRUE(warning.contains("loop.json.bad-")) << warning;
}

TEST_F(LoopFiles, RecordsSurviveALineThatWasCut) {
  ASSERT_TRUE(files_.append(iteration(1, "one")));
  {
    std::ofstream file(files_.folder() / "progress.ndjson", std::ios::app);
    file << "not JSON\n" << write_record(iteration(2, "two")).substr(0, 40);
  }
  auto records = files_.records(bad_);
  ASSERT_TRUE(records);
  EXPECT_EQ(records->size(), 1U);
  EXPECT_EQ(bad_, 1);
  ASSERT_TRUE(files_.append(iteration(2, "two again")));
  records = files_.records(bad_);
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(records->back().progress, "two again");
}

TEST_F(LoopFiles, WhatAnEarlierLoopLeftIsKept) {
  LoopState state;
  state.loop_id = "old-1";
  state.status = LoopStatus::ended;
  ASSERT_TRUE(files_.save(state));
  ASSERT_TRUE(files_.append(iteration(1, "one")));
  ASSERT_TRUE(files_.put_aside(state));
  ASSERT_TRUE(files_.put_records_aside("old-1"));
  EXPECT_TRUE(fs::exists(files_.folder() / "loop-old-1.json"));
  EXPECT_TRUE(fs::exists(files_.folder() / "progress-old-1.ndjson"));
  EXPECT_TRUE(files_.records(bad_)->empty());
}

TEST_F(LoopFiles, ALinkInPlaceOfTheProgressIsNotFollowed) {
  const auto outside = folder_.path() / "outside";
  std::ofstream(outside) << "mine\n";
  fs::create_symlink(outside, files_.folder() / "progress.ndjson");
  EXPECT_FALSE(files_.append(iteration(1, "one")));
  EXPECT_EQ(*read_file(outside), "mine\n");
}

TEST(LoopTotals, AddUpWhatCostsAndCountOnlyWhatCounts) {
  std::vector<LoopRecord> records{iteration(1, "one"), iteration(2, "two")};
  records.push_back(iteration(3, "interrupted"));
  records.back().step = LoopRecord::Step::attempt;
  records.push_back(iteration(1, "condensed"));
  records.back().step = LoopRecord::Step::summary;
  records.back().at = *parse_iso("2026-11-16T00:00:01Z");
  const auto totals = add_up(records);
  EXPECT_EQ(totals.iterations, 2);
  EXPECT_DOUBLE_EQ(totals.cost_usd, 1.0);
  EXPECT_DOUBLE_EQ(totals.days.at("2026-11-15"), 0.75);
  EXPECT_DOUBLE_EQ(totals.days.at("2026-11-16"), 0.25);
}

TEST(LoopTotals, RowsInARowEndWhenSomethingElseHappens) {
  std::vector<LoopRecord> records{iteration(1, "x"), iteration(2, "x"), iteration(3, "x")};
  for (auto& record : records) record.failed = true;
  EXPECT_EQ(add_up(records).failures_in_a_row, 3);
  records.push_back(iteration(4, "x"));
  EXPECT_EQ(add_up(records).failures_in_a_row, 0);

  records = {iteration(1, "same"), iteration(2, "same"), iteration(3, "same")};
  EXPECT_EQ(add_up(records).idle_in_a_row, 0) << "files changed";
  for (auto& record : records) record.changed = false;
  EXPECT_EQ(add_up(records).idle_in_a_row, 3);
  records[2].progress = "other";
  EXPECT_EQ(add_up(records).idle_in_a_row, 1);

  records = {iteration(1, "DONE"), iteration(2, "DONE")};
  for (auto& record : records) record.outcome = LoopDecision::refused;
  EXPECT_EQ(add_up(records).refused_in_a_row, 2);
}

}  // namespace
}  // namespace ralph::store

#include "harness/loop/summarizer.h"

#include "harness/loop/scripted_loop.h"

namespace ralph::loop {
namespace {

store::LoopRecord record(store::LoopRecord::Step step, std::int64_t n) {
  store::LoopRecord record;
  record.step = step;
  record.iteration = n;
  record.progress = "did " + std::to_string(n);
  return record;
}

std::vector<store::LoopRecord> iterations(std::int64_t from, std::int64_t to) {
  std::vector<store::LoopRecord> records;
  for (auto n = from; n <= to; ++n) {
    records.push_back(record(store::LoopRecord::Step::iteration, n));
  }
  return records;
}

std::vector<std::int64_t> numbers(const std::vector<store::LoopRecord>& records) {
  std::vector<std::int64_t> numbers;
  for (const auto& each : records) numbers.push_back(each.iteration);
  return numbers;
}

TEST(Summary, IsDueEverySoManyIterations) {
  EXPECT_FALSE(summary_is_due(iterations(1, 2), 3, 1));
  EXPECT_TRUE(summary_is_due(iterations(1, 3), 3, 1));
  EXPECT_FALSE(summary_is_due(iterations(1, 30), 0, 1)) << "never";
  EXPECT_FALSE(summary_is_due(iterations(1, 3), 3, 3)) << "all of them stay as they are";
}

TEST(Summary, CountsAnewBehindASummaryAndBehindAFailedTry) {
  auto records = iterations(1, 3);
  records.push_back(record(store::LoopRecord::Step::summary, 2));
  EXPECT_FALSE(summary_is_due(records, 3, 1));
  for (auto& each : iterations(4, 6)) records.push_back(each);
  EXPECT_TRUE(summary_is_due(records, 3, 1));
  auto failed = record(store::LoopRecord::Step::attempt, 5);
  EXPECT_TRUE((records.push_back(failed), summary_is_due(records, 3, 1))) << "of the worker";
  failed.outcome = store::LoopDecision::no_summary;
  records.push_back(failed);
  EXPECT_FALSE(summary_is_due(records, 3, 1));
}

TEST(Summary, CoversWhatTheLastOneDoesNotButTheNewest) {
  auto records = iterations(1, 5);
  EXPECT_EQ(numbers(records_to_summarize(records, 2)), (std::vector<std::int64_t>{1, 2, 3}));
  records.push_back(record(store::LoopRecord::Step::summary, 3));
  EXPECT_EQ(numbers(records_to_summarize(records, 1)), (std::vector<std::int64_t>{4}));
  EXPECT_TRUE(records_to_summarize(records, 2).empty());
}

class SummarizerTest : public scripted::ScriptedLoop {
 protected:
  SummarizerTest() {
    setup.options.summarize_every = 2;
    setup.options.recent = 1;
    setup.options.summary_model = "haiku";
  }
};

TEST_F(SummarizerTest, ItsTextTakesThePlaceOfOldIterations) {
  answer("the lexer", "a");
  answer("the parser", "b");
  answer("what was done so far");
  done("c");
  EXPECT_EQ(run().reason, store::StopReason::done);
  ASSERT_EQ(runner.runs.size(), 4U);
  EXPECT_EQ(runner.runs[2].role, store::AgentRole::summarizer);
  EXPECT_EQ(runner.requests[2].ask.model, "haiku");
  EXPECT_TRUE(runner.requests[2].ask.prompt.contains("the lexer"));
  EXPECT_FALSE(runner.requests[2].ask.prompt.contains("the parser")) << "the newest stays";
  const auto& prompt = runner.requests[3].ask.prompt;
  EXPECT_TRUE(prompt.contains("what was done so far"));
  EXPECT_TRUE(prompt.contains("the parser"));
  EXPECT_FALSE(prompt.contains("the lexer"));
  EXPECT_EQ(records()[2].step, store::LoopRecord::Step::summary);
  EXPECT_EQ(records()[2].iteration, 1) << "how many it covers";
  EXPECT_EQ(keeper->totals().iterations, 3) << "it is none itself";
}

TEST_F(SummarizerTest, WithoutASummaryTheLoopGoesOnAndTriesLater) {
  answer("the lexer", "a");
  answer("the parser", "b");
  fails(stream::Outcome::agent_error);
  answer("the printer", "c");
  answer("the writer", "d");
  answer("what was done so far");
  done("e");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_TRUE(records()[2].is(store::LoopDecision::no_summary));
  EXPECT_EQ(records()[2].step, store::LoopRecord::Step::attempt);
  EXPECT_TRUE(seen.notes().contains("next try after 2 iterations")) << seen.notes();
  EXPECT_TRUE(runner.requests[3].ask.prompt.contains("the lexer"));
  EXPECT_EQ(runner.runs[5].role, store::AgentRole::summarizer);
}

TEST_F(SummarizerTest, AStopDuringItEndsTheLoop) {
  answer("the lexer", "a");
  answer("the parser", "b");
  user_stops();
  EXPECT_EQ(run().reason, store::StopReason::stopped);
  EXPECT_EQ(keeper->totals().iterations, 2);
}

TEST_F(SummarizerTest, WhatItCostCounts) {
  setup.options.budget.cost_usd = 1;
  answer("the lexer", "a");
  answer("the parser", "b");
  runner.script.push_back([] {
    auto run = scripted::answered("what was done so far");
    run.cost_at_least_usd = 1;
    return run;
  });
  EXPECT_EQ(run().reason, store::StopReason::cost);
}

TEST_F(SummarizerTest, AnAgentThatCannotIsNotAsked) {
  setup.request.backend = backend::find_backend("custom");
  setup.options.budget.iterations = 3;
  for (const auto* files : {"a", "b", "c"}) answer("did it", files);
  EXPECT_EQ(run().reason, store::StopReason::iterations);
  EXPECT_EQ(runner.runs.size(), 3U);
}

}  // namespace
}  // namespace ralph::loop

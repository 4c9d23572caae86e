// A loop that is resumed after its ralph was killed, at each point of an iteration.
#include "harness/loop/recovery.h"

#include "harness/loop/scripted_loop.h"
#include "harness/store/journal.h"

namespace ralph::loop {
namespace {

class RecoveryTest : public scripted::ScriptedLoop {
 protected:
  /// The state that a killed ralph left, in the middle of iteration 1.
  void interrupted_in(store::Phase phase) {
    open();
    keeper->state.current =
        store::Current{1, kRun, clock.now(), phase, "start", "cstart", "refs/heads/main", {}};
    ASSERT_TRUE(keeper->save());
  }
  /// What its run had written: the answer comes last, if it came.
  void journal(std::string_view structured, double cost) {
    auto journal = store::Journal::open(keeper->workspace().run_folder(kRun), masker);
    ASSERT_TRUE(journal) << describe(journal.error());
    stream::TurnEnded ended;
    ended.structured.text = structured;
    ended.total_cost_usd = cost;
    ended.reason = structured.empty() ? "api_error" : "completed";
    ended.is_error = structured.empty();
    stream::Event event;
    event.seq = 1;
    event.t_ms = 5000;
    event.agent = "claude";
    event.run_id = kRun;
    event.what = ended;
    journal->on_any(event);
    ASSERT_TRUE(journal->finish());
  }

  static constexpr const char* kRun = "20261115-135900-run";
  static constexpr const char* kAnswer = R"({"summary":"did it"})";
  static constexpr const char* kDoneAnswer = R"({"summary":"DONE","done":true})";
};

TEST_F(RecoveryTest, NothingIsRecoveredWhereNothingWasInterrupted) {
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(records().size(), 1U);
}

TEST_F(RecoveryTest, AnAgentThatHadNotAnsweredIsStartedAgain) {
  interrupted_in(store::Phase::agent);
  journal("", 0.25);
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  ASSERT_EQ(records().size(), 2U);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
  EXPECT_TRUE(records()[0].is(store::LoopDecision::interrupted));
  EXPECT_EQ(records()[0].cost_usd, 0.25);
  EXPECT_EQ(records()[1].iteration, 1);
  EXPECT_EQ(runner.requests[0].task, "iteration-0001-attempt-2");
}

TEST_F(RecoveryTest, AnAnswerThatWasGivenIsNotPaidForTwice) {
  interrupted_in(store::Phase::agent);
  journal(kAnswer, 0.25);
  repository.files = "a";
  setup.options.budget.iterations = 1;
  EXPECT_EQ(run().reason, store::StopReason::iterations);
  EXPECT_TRUE(runner.runs.empty());
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::iteration);
  EXPECT_EQ(records()[0].progress, "did it");
  EXPECT_EQ(records()[0].cost_usd, 0.25);
  EXPECT_TRUE(records()[0].changed);
  EXPECT_TRUE(seen.notes().contains("iteration 1 had ended")) << seen.notes();
}

TEST_F(RecoveryTest, ADoneIsVerifiedThen) {
  for (const auto phase : {store::Phase::agent, store::Phase::verify}) {
    SCOPED_TRACE(to_string(phase));
    interrupted_in(phase);
    std::filesystem::remove_all(keeper->workspace().run_folder(kRun).path());
    journal(kDoneAnswer, 0.25);
    repository.files = "a";
    verifier.names = {"make test"};
    verifier.verified.clear();
    EXPECT_EQ(run().reason, store::StopReason::done);
    EXPECT_EQ(verifier.verified, std::vector<std::string>{"a"});
    keeper.reset();
    ralph_folder.reset();
    std::filesystem::remove_all(folder / ".ralph");
  }
}

TEST_F(RecoveryTest, ACommitIsMadeThenOrCountsAsMade) {
  setup.options.commit = true;
  setup.options.budget.iterations = 1;
  interrupted_in(store::Phase::commit);
  journal(kAnswer, 0.25);
  repository.files = "a";
  repository.commits = {"start", "a"};  // by the ralph that was killed
  EXPECT_EQ(run().reason, store::StopReason::iterations);
  EXPECT_TRUE(repository.messages.empty());
  EXPECT_EQ(records()[0].commit, "ca");
}

TEST_F(RecoveryTest, ARollbackIsFinished) {
  setup.options.commit = setup.options.rollback = true;
  interrupted_in(store::Phase::rollback);
  journal("", 0.25);
  repository.files = "half";
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_TRUE(records()[0].failed);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::iteration);
  EXPECT_EQ(records()[0].tree, "start");
  EXPECT_EQ(records()[1].iteration, 2);
}

TEST_F(RecoveryTest, AStepWhoseRecordIsThereIsOver) {
  interrupted_in(store::Phase::commit);
  store::LoopRecord record;
  record.iteration = 1;
  record.run_id = kRun;
  record.outcome = stream::Outcome::ok;
  record.tree = "start";
  ASSERT_TRUE(keeper->append(record));
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(records().size(), 2U);
  EXPECT_EQ(records()[1].iteration, 2);
}

TEST_F(RecoveryTest, ADoneWhoseRecordIsThereEndsTheLoop) {
  for (const bool with_current : {true, false}) {
    interrupted_in(store::Phase::commit);
    store::LoopRecord record;
    record.iteration = 1;
    record.run_id = kRun;
    record.outcome = stream::Outcome::ok;
    record.done = true;
    ASSERT_TRUE(keeper->append(record));
    if (!with_current) keeper->state.current.reset();
    EXPECT_EQ(run().reason, store::StopReason::done);
    EXPECT_TRUE(runner.runs.empty());
    keeper.reset();
    ralph_folder.reset();
  }
}

TEST_F(RecoveryTest, ADoneOfALoopThatHadEndedIsNotItsEndNow) {
  open();
  store::LoopRecord record;
  record.iteration = 1;
  record.outcome = stream::Outcome::ok;
  record.done = true;
  ASSERT_TRUE(keeper->append(record));
  done("a");
  EXPECT_EQ(run(Loop::Before::ended).reason, store::StopReason::done);
  EXPECT_EQ(runner.runs.size(), 1U);
}

TEST_F(RecoveryTest, ASummaryThatWasGivenIsKept) {
  interrupted_in(store::Phase::summary);
  journal(kAnswer, 0.25);
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::summary);
  EXPECT_EQ(records()[0].progress, "did it");
  EXPECT_FALSE(records()[0].changed);
}

TEST_F(RecoveryTest, ARunWithoutAJournalCountsAsNothingWithAWarning) {
  interrupted_in(store::Phase::agent);
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
  EXPECT_TRUE(seen.notes().contains("counts as $0: it has no journal")) << seen.notes();
}

TEST_F(RecoveryTest, AJournalThatCannotBeReadStopsTheLoopUnlessThatIsAccepted) {
  interrupted_in(store::Phase::agent);
  const auto place = keeper->workspace().run_folder(kRun);
  ASSERT_TRUE(place.make_folder());
  std::filesystem::create_symlink("/etc/passwd", place.path() / "journal.ndjson");
  EXPECT_EQ(run().reason, store::StopReason::storage);
  EXPECT_TRUE(keeper->state.current) << "whoever resumes finds it";
  keeper.reset();
  ralph_folder.reset();
  setup.options.accept_changes = true;
  interrupted_in(store::Phase::agent);
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
}

TEST_F(RecoveryTest, TheTimeOfTheInterruptedRunCounts) {
  interrupted_in(store::Phase::agent);
  journal("", 0.25);
  setup.options.budget.time = Millis{5000};
  EXPECT_EQ(run().reason, store::StopReason::time);
}

TEST_F(RecoveryTest, WhatIsWrittenIsWhatTheNextRalphLoads) {
  answer("one", "a");
  user_stops();
  run();
  const auto loaded = keeper->store().load(store::LoopStateStore::Source::trusted);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->records, records());
  EXPECT_EQ((*loaded)->state, keeper->state);
}

}  // namespace
}  // namespace ralph::loop

// Iterations of a loop with a scripted agent: answers, DONE, commits, guidance.
#include "harness/loop/loop.h"

#include "harness/loop/scripted_loop.h"

namespace ralph::loop {
namespace {

using scripted::answered;
using scripted::ended;
using stream::Outcome;

class LoopSteps : public scripted::ScriptedLoop {};

TEST_F(LoopSteps, WorksUntilTheAgentSaysDone) {
  answer("one", "a");
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
  ASSERT_EQ(records().size(), 2U);
  EXPECT_EQ(records()[0].progress, "one");
  EXPECT_TRUE(records()[0].changed);
  EXPECT_FALSE(records()[0].done);
  EXPECT_EQ(records()[1].iteration, 2);
  EXPECT_TRUE(records()[1].done);
  EXPECT_EQ(keeper->state.current, std::nullopt);
}

TEST_F(LoopSteps, ThePromptHasTheGoalAndWhatWasDone) {
  answer("the parser is fixed", "a");
  done("b");
  run();
  EXPECT_TRUE(runner.requests[0].ask.prompt.contains("Make it work"));
  EXPECT_FALSE(runner.requests[0].ask.prompt.contains("the parser is fixed"));
  EXPECT_TRUE(runner.requests[1].ask.prompt.contains("the parser is fixed"));
}

TEST_F(LoopSteps, EveryStepIsAnEventInItsOrder) {
  verifier.names = {"make test"};
  verifier.refusals = {true};
  setup.options.commit = true;
  done("a");
  done("b");
  run();
  std::vector<std::size_t> kinds;
  for (const auto& step : seen.steps) kinds.push_back(step.index());
  const auto of = [](const store::LoopStep& step) { return step.index(); };
  EXPECT_EQ(kinds, (std::vector{of(store::IterationStarted()), of(store::VerificationStarted()),
                                of(store::VerificationEnded()), of(store::IterationCommitted()),
                                of(store::DoneRefused()), of(store::IterationEnded()),
                                of(store::IterationStarted()), of(store::VerificationStarted()),
                                of(store::VerificationEnded()), of(store::IterationCommitted()),
                                of(store::IterationEnded())}));
}

TEST_F(LoopSteps, ADoneThatVerificationPassesIsVerified) {
  verifier.names = {"make test"};
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(verifier.verified, std::vector<std::string>{"a"});
  ASSERT_TRUE(records()[0].verification);
  EXPECT_TRUE(records()[0].verification->passed);
  EXPECT_EQ(records()[0].verification->commands, verifier.names);
}

TEST_F(LoopSteps, ARefusedDoneGoesOnAndTheNextPromptSaysWhy) {
  verifier.names = {"make test"};
  verifier.refusals = {true};
  done("a");
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_TRUE(records()[0].is(store::LoopDecision::refused));
  EXPECT_TRUE(runner.requests[1].ask.prompt.contains("`make test` failed: exit code 1"));
  EXPECT_EQ(seen.all<store::DoneRefused>(), (std::vector<store::DoneRefused>{{1, 1}}));
}

TEST_F(LoopSteps, DoneRefusedTooOftenStopsTheLoop) {
  verifier.names = {"make test"};
  verifier.refusals = {true, true, true};
  setup.options.budget.refusals = 3;
  for (const auto* files : {"a", "b", "c"}) done(files);
  EXPECT_EQ(run().reason, store::StopReason::refused);
  EXPECT_EQ(keeper->totals().refused_in_a_row, 3);
}

TEST_F(LoopSteps, ADoneWithoutAnyChangeIsNotBelieved) {
  done();
  EXPECT_EQ(run().reason, store::StopReason::unchanged);
  EXPECT_TRUE(records()[0].is(store::LoopDecision::unchanged));
}

TEST_F(LoopSteps, ADoneWithoutAnyChangeCountsWhenVerificationPassesAndTheReportSaysSo) {
  verifier.names = {"make test"};
  done();
  EXPECT_EQ(run().reason, store::StopReason::done);
  ASSERT_EQ(reporter.findings().size(), 1U);
  EXPECT_TRUE(reporter.findings()[0].text.contains("no file was changed"));
}

TEST_F(LoopSteps, FilesOfTheStartThatVerificationChangesRefuseTheDone) {
  verifier.names = {"make test"};
  setup.options.budget.iterations = 1;
  verifier.while_verifying = [&] { repository.files = "other"; };
  repository.changed.of_start = {"test.c"};
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::iterations);
  EXPECT_TRUE(records()[0].is(store::LoopDecision::refused));
  EXPECT_TRUE(records()[0].verification->reason.contains("test.c"));
}

TEST_F(LoopSteps, VerificationThatWasTamperedWithStopsTheLoop) {
  verifier.names = {"make test"};
  verifier.error = Error{Code::permission, ".ralph/check was changed", ""};
  done("a");
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::tampered);
  EXPECT_TRUE(stop.why.contains(".ralph/check was changed"));
  EXPECT_TRUE(records()[0].is(store::LoopDecision::tampered));
}

TEST_F(LoopSteps, ATamperedRepositoryStopsTheLoopWithoutACommit) {
  setup.options.commit = true;
  runner.script.push_back([this] {
    repository.files = "a";
    repository.tampered_with = Error{Code::permission, "the index is a link", ""};
    return answered("one");
  });
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::tampered);
  EXPECT_EQ(stop.why, "the index is a link");
  EXPECT_TRUE(repository.messages.empty());
  EXPECT_TRUE(records()[0].is(store::LoopDecision::tampered));
}

TEST_F(LoopSteps, WithCommitEveryIterationIsACommit) {
  setup.options.commit = true;
  answer("fix the parser", "a");
  done("b");
  run();
  ASSERT_EQ(repository.messages.size(), 2U);
  EXPECT_TRUE(repository.messages[0].starts_with("ralph: iteration 1: fix the parser\n"));
  EXPECT_EQ(records()[0].commit, "ca");
  EXPECT_EQ(records()[1].commit_before, "ca");
}

TEST_F(LoopSteps, ADoneThatIsNotOnTheBranchDoesNotCount) {
  setup.options.commit = true;
  repository.committed_error = Error{Code::busy, "HEAD is elsewhere", ""};
  done("a");
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::not_committed);
  EXPECT_EQ(stop.why, "HEAD is elsewhere");
  EXPECT_TRUE(records()[0].is(store::LoopDecision::not_committed));
}

TEST_F(LoopSteps, ACommitThatFailsIsAWarningAndTheLoopGoesOn) {
  setup.options.commit = true;
  setup.options.budget.iterations = 1;
  repository.commit_error = Error{Code::busy, "a merge is not finished", ""};
  answer("one", "a");
  EXPECT_EQ(run().reason, store::StopReason::iterations);
  EXPECT_TRUE(seen.notes().contains("not committed: a merge is not finished")) << seen.notes();
}

TEST_F(LoopSteps, GuidanceIsInOnePromptAndThenGone) {
  open();
  ASSERT_TRUE(guidance.leave("Leave the parser alone"));
  answer("one", "a");
  done("b");
  run();
  EXPECT_TRUE(runner.requests[0].ask.prompt.contains("Leave the parser alone"));
  EXPECT_FALSE(runner.requests[1].ask.prompt.contains("Leave the parser alone"));
  EXPECT_EQ(seen.all<store::GuidanceTaken>(), (std::vector<store::GuidanceTaken>{{1, 1}}));
}

TEST_F(LoopSteps, GuidanceOfAnAttemptThatDoesNotCountIsGivenAgain) {
  open();
  ASSERT_TRUE(guidance.leave("Leave the parser alone"));
  runner.script.push_back([] { return ended(Outcome::rate_limited); });
  done("b");
  run();
  EXPECT_TRUE(runner.requests[1].ask.prompt.contains("Leave the parser alone"));
}

TEST_F(LoopSteps, AnAgentThatRemovesTheFolderOfRalphLosesNoRecord) {
  answer("one", "a");
  runner.script.push_back([this] {
    std::filesystem::remove_all(folder / ".ralph");
    repository.files = "b";
    return answered("DONE", true);
  });
  EXPECT_EQ(run().reason, store::StopReason::done);
  std::int64_t bad = 0;
  const auto written = keeper->files().records(bad);
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, records());
  EXPECT_TRUE(seen.notes().contains("was removed or replaced")) << seen.notes();
  EXPECT_EQ(store::Lock::holder(keeper->workspace().lock_file())->id, setup.loop_id);
}

TEST_F(LoopSteps, AJournalThatCannotBeWrittenStopsTheLoop) {
  runner.script.push_back([] {
    auto run = answered("one");
    run.not_recorded = Error{Code::storage, "no space left", ""};
    return run;
  });
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::storage);
  EXPECT_EQ(store::row(stop.reason).outcome, Outcome::storage_failed);
  EXPECT_EQ(records().size(), 1U) << "what it cost is known";
}

}  // namespace
}  // namespace ralph::loop

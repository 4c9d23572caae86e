#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/base/unique_fd.h"
#include "harness/store/guidance.h"
#include "harness/store/journal.h"
#include "harness/store/lock.h"
#include "harness/store/loop_event_log.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/workspace.h"
#include "support/temp_folder.h"

namespace ralph::cli {
namespace {

/// `ralph status`, `tell` and `stop` in a folder where somebody holds the lock.
class LoopCommands : public testing::Test {
 protected:
  struct Ran {
    int code;
    std::string out, err;
  };
  Ran ralph(std::vector<std::string> words) {
    words.insert(words.begin(), "ralph");
    words.insert(words.end(), {"--cwd", folder_.path()});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = cli::main(words);
    auto out = testing::internal::GetCapturedStdout();
    return {code, std::move(out), testing::internal::GetCapturedStderr()};
  }
  void SetUp() override {
    ::setenv("XDG_STATE_HOME", state_folder_.path().c_str(), 1);
    ASSERT_TRUE(store::Workspace::open(folder_.path()));
    state_.loop_id = "L";
    state_.status = store::LoopStatus::running;
    state_.goal = "Make it work";
    state_.max_iterations = 50;
    state_.verify = {"make test"};
    state_.current = store::Current{3, "r3", now_utc(), store::Phase::verify, {}, {}, {}};
    for (int n = 1; n <= 2; ++n) {
      store::LoopRecord record;
      record.iteration = n;
      record.progress = "did it";
      ASSERT_TRUE(files_.append(record));
    }
    save();
  }
  void save() { ASSERT_TRUE(files_.save(state_)); }
  auto lock(store::LockUser user) {
    return store::Lock::take(store::Workspace::at(folder_.path()).lock_file(), user);
  }

  test::TempFolder folder_, state_folder_;
  store::LoopStateFiles files_{folder_.path()};
  store::LoopState state_;
};

TEST_F(LoopCommands, StatusOfARunningLoop) {
  const auto held = lock(store::LockUser::loop);
  const auto ran = ralph({"status"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("State      running (pid " + std::to_string(::getpid()) + ")\n"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("Iteration  3/50 ("), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Now        verifying with `make test` ("), std::string::npos) << ran.out;
}

TEST_F(LoopCommands, StatusOfAWaitingLoopTellsForWhat) {
  const auto held = lock(store::LockUser::loop);
  state_.status = store::LoopStatus::waiting;
  state_.waiting_for = "rate limit reached";
  state_.waiting_until = now_utc() + std::chrono::hours(2);
  state_.current.reset();
  save();
  const auto ran = ralph({"status"});
  EXPECT_NE(ran.out.find("State      waiting (pid "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Now        rate limit reached; retrying at "), std::string::npos)
      << ran.out;
}

TEST_F(LoopCommands, TheNewestStepOfTheLoopIsWhatItIsDoing) {
  const auto held = lock(store::LockUser::loop);
  const auto run_folder = store::Workspace::at(folder_.path()).run_folder("L");
  const Masker masker;
  const store::LoopEventLog log(run_folder, masker);
  ASSERT_TRUE(log.append({now_utc(), store::VerificationStarted{{"make check"}}}));
  EXPECT_NE(ralph({"status"}).out.find("Now        verifying with `make check` ("),
            std::string::npos);
  ASSERT_TRUE(log.append({now_utc(), store::WaitStarted{store::WaitReason::outage,
                                                        "model API overloaded", now_utc()}}));
  ASSERT_TRUE(log.append({now_utc(), store::LoopNote{stream::Level::info, "all is well"}}));
  EXPECT_NE(ralph({"status"}).out.find("Now        model API overloaded; retrying at "),
            std::string::npos);
  ASSERT_TRUE(log.append({now_utc(), store::IterationStarted{3, {}, "r3"}}));
  EXPECT_NE(ralph({"status"}).out.find("Now        starting the agent\n"), std::string::npos);
}

TEST_F(LoopCommands, ALoopWhoseLockAnotherRunHoldsHasDied) {
  const auto held = lock(store::LockUser::run);
  EXPECT_NE(ralph({"status"}).out.find("State      died"), std::string::npos);
}

TEST_F(LoopCommands, ALoopThatHasEndedHasNotDied) {
  const auto held = lock(store::LockUser::loop);  // until its report is written
  state_.status = store::LoopStatus::ended;
  state_.end = store::StopReason::done;
  save();
  EXPECT_NE(
      ralph({"status"})
          .out.find(
              "State      ended: done, according to .ralph/state, which an agent can write\n"),
      std::string::npos);
  EXPECT_EQ(ralph({"stop"}).code, 2);
}

TEST_F(LoopCommands, TellIsForTheIterationAfterTheOneThatRuns) {
  const auto held = lock(store::LockUser::loop);
  const auto ran = ralph({"tell", "Look at the lexer"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "kept for iteration 4\n");
  EXPECT_EQ(ran.err, "");
  std::string refused;
  const auto found = store::Guidance(folder_.path(), state_folder_ / "ralph").pending(refused);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().text, "Look at the lexer");
  EXPECT_EQ(refused, "");
}

TEST_F(LoopCommands, TellIsForTheNextIterationWhileTheLoopWaits) {
  const auto held = lock(store::LockUser::loop);
  state_.status = store::LoopStatus::waiting;
  state_.current.reset();
  save();
  EXPECT_EQ(ralph({"tell", "x"}).out, "kept for iteration 3\n");
}

TEST_F(LoopCommands, TellSaysThatTheLimitComesFirst) {
  const auto held = lock(store::LockUser::loop);
  state_.max_iterations = 3;
  save();
  EXPECT_EQ(ralph({"tell", "x"}).out,
            "kept for iteration 4, beyond the limit: 'ralph loop --resume --max-iterations 6'\n");
}

TEST_F(LoopCommands, StatusTellsWhichIterationHasReadTheGuidance) {
  const auto held = lock(store::LockUser::loop);
  ralph({"tell", "first"});
  std::string refused;
  const auto given = store::Guidance(folder_.path(), state_folder_ / "ralph").pending(refused);
  ASSERT_EQ(given.size(), 1U);
  state_.current->guidance = {given.front().name};
  save();
  ralph({"tell", "second"});
  const auto ran = ralph({"status"});
  EXPECT_NE(ran.out.find("Guidance   1 message in the prompt of iteration 3\n"
                         "Guidance   1 message for iteration 4\n"),
            std::string::npos)
      << ran.out;
}

TEST_F(LoopCommands, StatusShowsWhatTheAgentDoesAndWhatItHasCost) {
  const auto held = lock(store::LockUser::loop);
  state_.backend = "claude";
  state_.current->phase = store::Phase::agent;
  save();
  const Masker masker(std::vector<std::string>{});
  auto journal =
      store::Journal::open(store::Workspace::at(folder_.path()).run_folder("r3"), masker);
  ASSERT_TRUE(journal);
  stream::Usage usage{stream::UsageScope::request, "claude-sonnet-5-5", "m1", {}, {}, {}, false};
  usage.tokens.output = 1'000'000;
  journal->on_any({1, 0, "claude", "r3", 1, {}, usage});
  journal->on_any({2,
                   5,
                   "claude",
                   "r3",
                   2,
                   {},
                   stream::ToolCall{"t1", "Bash", stream::ToolKind::shell, "make test", {}}});
  ASSERT_TRUE(journal->finish());
  auto ran = ralph({"status"});
  EXPECT_NE(ran.out.find("Now        running Bash: make test ("), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("Cost       $0.0000"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Cost       $1"), std::string::npos) << ran.out;
}

TEST_F(LoopCommands, StatusShowsARefusedDoneAsRefused) {
  store::LoopRecord record;
  record.iteration = 3;
  record.progress = "DONE";
  record.outcome = store::LoopDecision::refused;
  record.done = true;
  record.verification = store::Verification{false, "make test", "exit code 2", {}, {}};
  ASSERT_TRUE(files_.append(record));
  const auto ran = ralph({"status"});
  EXPECT_NE(ran.out.find("Refused    1 DONE in a row\n"
                         "Last       iteration 3: DONE refused by `make test` (exit code 2)"),
            std::string::npos)
      << ran.out;
}

TEST_F(LoopCommands, StopAsksTheLoop) {
  const auto held = lock(store::LockUser::loop);
  EXPECT_FALSE(files_.asked_to_stop());
  EXPECT_EQ(ralph({"stop"}).code, 0);
  EXPECT_TRUE(files_.asked_to_stop());
  EXPECT_NE(ralph({"status"}).out.find("Stop       requested"), std::string::npos);
}

TEST_F(LoopCommands, StopOfNobodyLeavesNothingForTheNextLoop) {
  EXPECT_EQ(ralph({"stop"}).code, 2);
  EXPECT_FALSE(files_.asked_to_stop());
}

TEST_F(LoopCommands, StopNowEndsTheProcessThatHoldsTheLock) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd said(ends[0]), say(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = lock(store::LockUser::loop);
    if (::write(say.get(), held ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  say.reset();
  char byte = 0;
  ASSERT_EQ(::read(said.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  const auto ran = ralph({"stop", "--now"});
  if (ran.code != 0) ::kill(child, SIGKILL);
  EXPECT_EQ(ran.code, 0) << ran.err;
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_FALSE(files_.asked_to_stop());
}

}  // namespace
}  // namespace ralph::cli

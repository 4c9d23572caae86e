#include "system/process/signal.h"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ralph::process {
namespace {

/// A child that waits to be ended.
struct Waiting {
  pid_t pid = ::fork();
  Waiting() {
    if (pid == 0) {
      for (;;) ::pause();
    }
  }
  ~Waiting() {
    if (pid <= 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  int ended_by() {
    int status = 0;
    EXPECT_EQ(::waitpid(std::exchange(pid, -1), &status, 0) > 0, true);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
};

TEST(SignalProcess, ReachesAProcess) {
  Waiting child;
  EXPECT_TRUE(signal_process(child.pid, SIGTERM, [] { return true; }));
  EXPECT_EQ(child.ended_by(), SIGTERM);
}

TEST(SignalProcess, AnotherOneOfThatNumberIsSpared) {
  Waiting child;
  const auto sent = signal_process(child.pid, SIGTERM, [] { return false; });
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::not_found);
  ::kill(child.pid, SIGUSR1);
  EXPECT_EQ(child.ended_by(), SIGUSR1);
}

TEST(SignalProcess, OneThatIsGoneIsNotFound) {
  pid_t gone = 0;
  {
    const Waiting child;
    gone = child.pid;
  }
  const auto sent = signal_process(gone, SIGTERM, [] { return true; });
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::not_found);
}

}  // namespace
}  // namespace ralph::process

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "system/process/harness.h"
#include "system/process/sigpipe_block.h"

namespace ralph::process {
namespace {

/// A child of ours with this very number, stopped; -1: the system does not let us choose.
pid_t stopped_process_with_id(pid_t wanted) {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  args.set_tid = reinterpret_cast<std::uintptr_t>(&wanted);
  args.set_tid_size = 1;
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
  if (pid == 0) {
    ::setsid();
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  return pid;
}

TEST(Drain, AStopDoesNotSignalTheReapedGuardsNumber) {
  Agent agent("line result\nexit 0\n");
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd writer(fds[1]);  // no descendant of the program: the drain waits for it
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ChildParts parts = child->take();
  parts.err = UniqueFd(fds[0]);
  const pid_t guard = parts.guard;

  std::stop_source stop;
  bool tried = false, went_on = false;
  std::jthread other([&] {
    ProcessInfo info;
    EXPECT_TRUE(eventually([&] { return !read_process(guard, info); }));
    const pid_t stranger = stopped_process_with_id(guard);
    if (stranger == guard) {
      int status = 0;
      EXPECT_EQ(::waitpid(stranger, &status, WUNTRACED), stranger);
      EXPECT_TRUE(WIFSTOPPED(status));
      stop.request_stop();
      tried = true;
      went_on = ::waitpid(stranger, &status, WCONTINUED | WNOHANG) == stranger;
      ::kill(stranger, SIGKILL);
      ::waitpid(stranger, &status, 0);
    }
    writer.reset();
  });
  RunHandle watch;
  const EndPolicy policy{.grace = Millis{50}, .drain = kLongWait, .patience = kLongWait};
  const Exit exit = supervise(Child(std::move(parts)), {}, watch, stop.get_token(), policy);
  other.join();
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_FALSE(went_on);
  if (!tried) GTEST_SKIP() << "process numbers cannot be chosen here";
}

/// A process that is none of the program's may hold its pipe: it has the drain time to finish.
TEST(Drain, TakesWhatComesAfterTheTreeIsGone) {
  Agent agent("exit 0\n");
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd writer(fds[1]);
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ChildParts parts = child->take();
  parts.out = UniqueFd(fds[0]);
  const pid_t guard = parts.guard;
  std::jthread late([&] {
    ProcessInfo info;
    EXPECT_TRUE(eventually([&] { return !read_process(guard, info); }));
    std::this_thread::sleep_for(Millis{50});  // longer than no drain at all
    const SigpipeBlock no_sigpipe;
    EXPECT_EQ(::write(writer.get(), "late\n", 5), 5);
    writer.reset();
  });
  std::string out;
  RunHandle watch;
  const EndPolicy policy{.grace = Millis{50}, .drain = kLongWait, .patience = kLongWait};
  supervise(Child(std::move(parts)), {append_to(out), {}}, watch, {}, policy);
  EXPECT_EQ(out, "late\n");
}

TEST(Drain, WaitsForASinkThatIsNotReady) {
  Agent agent("line result\nexit 0\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t guard = child->guard_pid();
  std::string out;
  Sinks sinks{append_to(out), {}};
  int asked = 0;  // since the tree is gone
  sinks.ready = [&](EndedBy) {
    ProcessInfo info;
    return !read_process(guard, info) && ++asked > 20;
  };
  RunHandle watch;
  const EndPolicy policy{.grace = Millis{50}, .drain = Millis{0}, .patience = kLongWait};
  supervise(*std::move(child), sinks, watch, {}, policy);
  EXPECT_EQ(out, "result\n");
}

}  // namespace
}  // namespace ralph::process

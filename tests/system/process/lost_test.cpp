#include <random>

#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "system/process/harness.h"

namespace ralph::process {
namespace {

constexpr std::string_view kBusyScript =
    "spawn-tool\ndaemon\ngrandchild-holds-stdout\nline up\nnotify DIR/up\nhang\n";

TEST(LostGuard, LeavesNothingAlive) {
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    Agent agent(std::string(kBusyScript), transport);
    auto child = start(agent.command);
    ASSERT_TRUE(child) << describe(child.error());
    ASSERT_TRUE(agent.reached("up"));
    ::kill(child->guard_pid(), SIGKILL);
    std::string out;
    RunHandle watch;
    const Exit exit = supervise(*std::move(child), {append_to(out), {}}, watch, {}, patient());
    EXPECT_EQ(exit.ended_by, EndedBy::guard_lost);
    EXPECT_EQ(out, "up\n");
    EXPECT_TRUE(agent.nothing_alive());
  }
  EXPECT_TRUE(zombies_of_ours().empty());
}

TEST(LostGuard, DoesNotDisturbOtherRunsNorOtherChildrenOfOurs) {
  // Children that other code of this process started stay in our session and are left alone.
  const char* const argv[] = {"sleep", "1000", nullptr};
  pid_t stranger = -1;
  ASSERT_EQ(
      ::posix_spawnp(&stranger, "sleep", nullptr, nullptr, const_cast<char* const*>(argv), environ),
      0);
  Agent other("notify DIR/up\nwait-file DIR/go\nline fine\nexit 0\n");
  std::jthread neighbour([&] {
    const Ran ran = run(other.command);
    EXPECT_EQ(ran.exit.exit_code, 0);
    EXPECT_EQ(ran.out, "fine\n");
  });
  ASSERT_TRUE(other.reached("up"));
  Agent agent{std::string(kBusyScript)};
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  ::kill(child->guard_pid(), SIGKILL);
  RunHandle watch;
  EXPECT_EQ(supervise(*std::move(child), {}, watch, {}, patient()).ended_by, EndedBy::guard_lost);
  EXPECT_TRUE(agent.nothing_alive());
  other.folder.write("go", "");
  neighbour.join();
  ProcessInfo info;
  EXPECT_TRUE(read_process(stranger, info) && info.alive());
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

TEST(LostGuard, ThatNoLongerAnswersIsEnded) {
  Agent agent{std::string(kBusyScript)};
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  ::kill(child->guard_pid(), SIGSTOP);
  RunHandle watch;
  watch.arm(Limit::wall, Millis{0});
  const EndPolicy impatient{.grace = Millis{50}, .drain = Millis{50}, .patience = Millis{50}};
  const Exit exit = supervise(*std::move(child), {}, watch, {}, impatient);
  EXPECT_EQ(exit.ended_by, EndedBy::wall);
  EXPECT_TRUE(agent.nothing_alive());
  EXPECT_TRUE(zombies_of_ours().empty());
}

TEST(LostGuard, ThatWasStoppedIsWokenToEndTheTree) {
  Agent agent("notify DIR/up\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  ::kill(child->guard_pid(), SIGSTOP);
  RunHandle watch;
  watch.arm(Limit::wall, Millis{0});
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.signal, SIGTERM) << "only the guard knows";
}

TEST(LostGuard, OfAChildThatIsNeverSupervisedLeavesNothingAlive) {
  Agent agent{std::string(kBusyScript)};
  {
    auto child = start(agent.command);
    ASSERT_TRUE(child) << describe(child.error());
    ASSERT_TRUE(agent.reached("up"));
    ::kill(child->guard_pid(), SIGKILL);
  }
  EXPECT_TRUE(agent.nothing_alive());
}

/// SIGCONT does not wake a process that a debugger has stopped.
TEST(LostGuard, ThatCannotBeWokenIsReplaced) {
  Agent agent{std::string(kBusyScript)};
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const pid_t guard = child->guard_pid();
  if (::ptrace(PTRACE_SEIZE, guard, nullptr, nullptr) != 0) GTEST_SKIP() << "no ptrace here";
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, guard, nullptr, nullptr), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(guard, &status, __WALL), guard);
  RunHandle watch;
  watch.arm(Limit::wall, Millis{0});
  const EndPolicy impatient{.grace = Millis{50}, .drain = Millis{50}, .patience = Millis{50}};
  EXPECT_EQ(supervise(*std::move(child), {}, watch, {}, impatient).ended_by, EndedBy::wall);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(LostGuard, ThatWasStoppedIsWokenWhenTheProgramIsGone) {
  Agent agent("wait-file DIR/go\nline done\nexit 3\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ::kill(child->guard_pid(), SIGSTOP);
  agent.folder.write("go", "");
  RunHandle watch;
  watch.arm(Limit::wall, kLongWait);
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 3);
  EXPECT_EQ(exit.ended_by, EndedBy::nothing);
}

TEST(LostGuard, OfAProgramThatIsGoneAlreadyKeepsItsExit) {
  Agent agent("line done\nexit 3\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t guard = child->guard_pid();
  ASSERT_TRUE(eventually([&] {
    ProcessInfo info;
    return !read_process(guard, info) || info.state == 'Z';
  }));
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 3);
  EXPECT_EQ(exit.ended_by, EndedBy::nothing);
}

TEST(LostGuard, AtAnyMomentLeavesNothingAlive) {
  std::minstd_rand random(20261115);
  std::uniform_int_distribution<int> micros(0, 6000);
  for (int round = 0; round < 40; ++round) {
    Agent agent("daemon\nspawn-tool\nforkloop 2000\nhang\n",
                round % 2 == 0 ? Transport::pipe : Transport::pty);
    auto child = start(agent.command);
    ASSERT_TRUE(child) << describe(child.error());
    const pid_t guard = child->guard_pid();
    std::jthread killer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(micros(random)));
      ::kill(guard, SIGKILL);
    });
    RunHandle watch;
    const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
    EXPECT_EQ(exit.ended_by, EndedBy::guard_lost);
    EXPECT_TRUE(agent.nothing_alive()) << "round " << round;
  }
  EXPECT_TRUE(zombies_of_ours().empty());
}

/// Starts this program as a harness of its own that supervises the agent.
pid_t spawn_harness(const Agent& agent) {
  const std::string script = "RALPH_TEST_HARNESS=" + agent.command.argv[1];
  const std::string mark = "RALPH_TEST_MARK=" + agent.mark;
  const char* const argv[] = {"harness", nullptr};
  const char* const environment[] = {script.c_str(), mark.c_str(), nullptr};
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(argv),
                    const_cast<char* const*>(environment));
  return failed == 0 ? pid : -1;
}

/// We are a subreaper: the guard of a killed harness comes to us when it has done its work.
void reap_inherited_guards() {
  EXPECT_TRUE(eventually([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }));
}

TEST(LostHarness, LeavesNothingAlive) {
  const Agent agent{std::string(kBusyScript)};
  const pid_t harness = spawn_harness(agent);
  ASSERT_GT(harness, 0);
  ASSERT_TRUE(agent.reached("up"));
  EXPECT_GE(alive_with_mark(agent.mark).size(),
            6U);  // harness, guard, agent, tool, daemon, grandchild
  ::kill(harness, SIGKILL);
  ::waitpid(harness, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return agent.nothing_alive(); }));
  reap_inherited_guards();
}

void kill_harness_after(std::chrono::microseconds delay) {
  const Agent agent("daemon\nspawn-tool\nforkloop 2000\nhang\n");
  const pid_t harness = spawn_harness(agent);
  ASSERT_GT(harness, 0);
  std::this_thread::sleep_for(delay);
  ::kill(harness, SIGKILL);
  ::waitpid(harness, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return agent.nothing_alive(); })) << delay.count() << " µs";
}

TEST(LostHarness, AtAnyMomentLeavesNothingAlive) {
  {
    std::vector<std::jthread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      threads.emplace_back([seed] {
        std::minstd_rand random(seed);
        std::uniform_int_distribution<int> micros(0, 25'000);
        for (int round = 0; round < 5; ++round) {
          kill_harness_after(std::chrono::microseconds(micros(random)));
        }
      });
    }
  }
  reap_inherited_guards();
}

}  // namespace
}  // namespace ralph::process

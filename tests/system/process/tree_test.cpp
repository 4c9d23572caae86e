#include <sys/wait.h>

#include "system/process/harness.h"
#include "system/process/registry.h"

namespace ralph::process {
namespace {

/// Runs until the script has created "up", then ends the run by a stop request.
Ran run_and_stop(const Agent& agent, const EndPolicy& policy = patient()) {
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(agent.reached("up"));
    stop.request_stop();
  });
  RunHandle watch;
  return run(agent.command, watch, stop.get_token(), policy);
}

TEST(Sweep, EndsAndCountsWhatTheProgramLeftBehind) {
  const Agent agent("spawn-tool\nspawn-tool\ndaemon\nline result\nexit 2\n");
  const Ran ran = run(agent.command);
  EXPECT_EQ(ran.exit.exit_code, 2);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(ran.out, "result\n");
  EXPECT_EQ(ran.exit.strays, 3);
  EXPECT_EQ(ran.exit.left, 0);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Sweep, AProgramThatIsEndedIsNoStray) {
  EXPECT_EQ(run_and_stop(Agent("notify DIR/up\nhang\n")).exit.strays, 0);
}

TEST(Sweep, EndsADaemonThatIgnoresTerm) {
  const Agent agent("daemon\nnotify DIR/up\nhang\n");
  const Ran ran = run_and_stop(agent, hasty());
  EXPECT_EQ(ran.exit.ended_by, EndedBy::stop_request);
  EXPECT_EQ(ran.exit.strays, 1);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Sweep, EndsAStoppedProgram) {
  Agent agent("spawn-tool\nnotify DIR/up\nstop\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t program = child->program_pid();
  ASSERT_TRUE(eventually([&] {
    ProcessInfo info;
    return read_process(program, info) && info.state == 'T';
  }));
  RunHandle watch;
  watch.arm(Limit::wall, Millis{0});
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Sweep, EndsAForkLoop) {
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    const Agent running("forkloop 30000\nnotify DIR/up\nhang\n", transport);
    EXPECT_EQ(run_and_stop(running, hasty()).exit.ended_by, EndedBy::stop_request);
    EXPECT_TRUE(running.nothing_alive());
    const Agent left("forkloop 30000\nexit 6\n", transport);
    EXPECT_EQ(run(left.command).exit.exit_code, 6);
    EXPECT_TRUE(left.nothing_alive());
  }
}

TEST(Sweep, EndsATreeThatIsWideAndDeep) {
  // Every level of a chain of shells has three sleepers.
  const TempFolder folder;
  const std::string script = folder.write("deep",
                                          "#!/bin/sh\n"
                                          "sleep 1000 & sleep 1000 & setsid sleep 1000 &\n"
                                          "[ $1 -gt 0 ] && setsid \"$0\" $(($1 - 1)) &\n"
                                          "[ $1 = 0 ] && : > \"$UP\"\n"
                                          "wait\n",
                                          0755);
  const std::string mark = random_hex(8);
  const std::string up = (folder / "up").string();
  const Command command{.argv = {script, "30"}, .env = {{"RALPH_TEST_MARK", mark}, {"UP", up}}};
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(up); }));
    stop.request_stop();
  });
  RunHandle watch;
  const Ran ran = run(command, watch, stop.get_token(), hasty());
  EXPECT_EQ(ran.exit.ended_by, EndedBy::stop_request);
  EXPECT_GT(ran.exit.strays, 90);
  EXPECT_TRUE(alive_with_mark(mark).empty());
}

TEST(Sweep, AProgramKilledBySomebodyElseIsReportedAsItDied) {
  Agent agent("spawn-tool\nnotify DIR/up\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  ::kill(child->program_pid(), SIGKILL);
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(exit.strays, 1);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Sweep, ReapsWhatDiesWhileTheProgramRuns) {
  // A hundred orphans end before the program does; none of them is a stray or stays a zombie.
  Agent agent("notify DIR/up\nwait-file DIR/go\n");
  agent.command.argv = {"sh",
                        "-c",
                        "i=0; while [ $i -lt 100 ]; do (sh -c : &); i=$((i+1)); done; : > \"$1\"; "
                        "while [ ! -e \"$2\" ]; do sleep 0.01; done",
                        "sh",
                        (agent.folder / "up").string(),
                        (agent.folder / "go").string()};
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const pid_t guard = child->guard_pid();
  EXPECT_TRUE(eventually([&] {
    PidList children;
    Tree(::getpid(), -1).append_children(guard, children);
    return children.size() == 1;
  }));
  agent.folder.write("go", "");
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(exit.strays, 0);
}

TEST(ProcessTree, ScanFindsTheSameChildrenAsTheKernelsLists) {
  Agent agent("spawn-tool\nspawn-tool\ndaemon\nnotify DIR/up\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const auto children = [&](ChildrenSource source, pid_t parent) {
    PidList list;
    Tree(::getpid(), -1, source).append_children(parent, list);
    std::vector<pid_t> sorted(list.begin(), list.end());
    std::ranges::sort(sorted);
    return sorted;
  };
  for (const pid_t parent : {child->guard_pid(), child->program_pid()}) {
    const auto listed = children(ChildrenSource::automatic, parent);
    EXPECT_GE(listed.size(), 2U);
    EXPECT_EQ(listed, children(ChildrenSource::scan, parent));
  }
}

TEST(ProcessTree, ReadsProcessesWithOddNames) {
  Agent agent("notify DIR/up\nhang\n");
  const auto odd = agent.folder / "a) R (b";
  std::filesystem::copy_file(fake_agent(), odd);
  agent.command.argv[0] = odd.string();
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ProcessInfo info;
  ASSERT_TRUE(read_process(child->program_pid(), info));
  EXPECT_EQ(info.parent, child->guard_pid());
  EXPECT_EQ(info.session, child->program_pid());
}

}  // namespace
}  // namespace ralph::process

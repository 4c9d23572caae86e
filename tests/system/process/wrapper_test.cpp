#include "system/process/harness.h"

namespace ralph::process {
namespace {

/// An agent that leaves on SIGINT, below wrappers that end with 7 when it has left by itself.
struct Wrapped : Agent {
  explicit Wrapped(int wrappers, Transport transport = Transport::pipe)
      : Agent("on-int interrupted\\n\nnotify DIR/up\nhang\n", transport) {
    const std::string wrap = folder.write("wrap", "#!/bin/sh\n\"$@\"\nexit 7\n", 0755);
    command.argv.insert(command.argv.begin(), static_cast<std::size_t>(wrappers), wrap);
    command.wrapper_depth = wrappers;
  }
};

/// Sends SIGINT once the script has created "up".
Ran run_and_interrupt(const Agent& agent) {
  RunHandle watch;
  std::jthread interrupter([&] {
    EXPECT_TRUE(agent.reached("up"));
    watch.send_signal(SIGINT);
  });
  return run(agent.command, watch);
}

TEST(Wrapper, ASignalGoesToTheProgramItWraps) {
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    for (const int wrappers : {1, 2, 5}) {
      const Wrapped agent(wrappers, transport);
      const Ran ran = run_and_interrupt(agent);
      EXPECT_EQ(ran.out, "interrupted\n");
      EXPECT_EQ(ran.exit.exit_code, 7) << wrappers;
      EXPECT_TRUE(agent.nothing_alive());
    }
  }
}

TEST(Wrapper, ThatWrapsNothingGetsTheSignalItself) {
  for (const int depth : {1, 3, -1}) {
    Wrapped agent(0);
    agent.command.wrapper_depth = depth;
    const Ran ran = run_and_interrupt(agent);
    EXPECT_EQ(ran.out, "interrupted\n");
    EXPECT_EQ(ran.exit.exit_code, 0);
  }
}

TEST(Wrapper, GetsTheSignalItselfWhenItWrapsFewerGenerationsThanSaidOrNoneIsSaid) {
  for (const int depth : {0, 2}) {
    Agent agent("");
    agent.command.argv = {"sh", "-c",
                          "trap 'echo wrapper; exit 5' INT; sleep 1000 & : > \"$1\"; wait", "sh",
                          (agent.folder / "up").string()};
    agent.command.wrapper_depth = depth;
    const Ran ran = run_and_interrupt(agent);
    EXPECT_EQ(ran.out, "wrapper\n");
    EXPECT_EQ(ran.exit.exit_code, 5);
    EXPECT_TRUE(agent.nothing_alive());
  }
}

TEST(Wrapper, ChildrenThatHaveEndedAreNotTheProgram) {
  // A zombie is the wrapper's first child: exec keeps it, and the new program never waits.
  Agent agent("on-int interrupted\\n\nnotify DIR/up\nhang\n");
  const std::string zombie =
      agent.folder.write("zombie", "#!/bin/sh\ntrue &\n\"$@\" &\nexec sleep 1000\n", 0755);
  agent.command.argv.insert(agent.command.argv.begin(), zombie);
  agent.command.wrapper_depth = 1;
  RunHandle watch;
  std::string out;
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const pid_t wrapper = child->program_pid();
  ASSERT_TRUE(eventually([&] {
    PidList children;
    Tree(::getpid(), -1).append_children(wrapper, children);
    ProcessInfo first;
    return children.size() == 2 && read_process(*children.begin(), first) && first.state == 'Z';
  }));
  watch.send_signal(SIGINT);
  const Sink stop_at_line = [&](std::string_view bytes) -> Result<> {
    out += bytes;
    watch.arm(Limit::after_end, Millis{0});
    return {};
  };
  const Exit exit = supervise(*std::move(child), {stop_at_line, {}}, watch, {}, patient());
  EXPECT_EQ(out, "interrupted\n");
  EXPECT_EQ(exit.ended_by, EndedBy::after_end);
}

}  // namespace
}  // namespace ralph::process

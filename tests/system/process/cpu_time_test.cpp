#include "system/process/cpu_time.h"

#include "system/process/harness.h"

namespace ralph::process {
namespace {

/// A shell that runs `script`; $1 is the file it creates when it is set up.
struct Shell : Agent {
  explicit Shell(const std::string& script) : Agent("") {
    command.argv = {"sh", "-c", script, "sh", (folder / "up").string()};
  }
};

TEST(CpuTime, GrowsWhileAGrandchildIsBusy) {
  const Shell agent("(sh -c 'while :; do :; done' & : > \"$1\"; wait); :");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const Millis first = tree_cpu_time(child->program_pid());
  EXPECT_TRUE(eventually([&] { return tree_cpu_time(child->program_pid()) > first + Millis{50}; }));
}

TEST(CpuTime, CountsChildrenThatHaveEnded) {
  const Shell agent(
      "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; : > \"$1\"; exec sleep 1000");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  EXPECT_GE(tree_cpu_time(child->program_pid()), Millis{10});
}

TEST(CpuTime, OfATreeThatOnlyWaitsStaysAsItIs) {
  const Shell agent(": > \"$1\"; exec sleep 1000");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  const auto asleep = [&] {
    ProcessInfo info;
    return read_process(child->program_pid(), info) && info.state == 'S';
  };
  ASSERT_TRUE(eventually(asleep));
  EXPECT_LT(tree_cpu_time(child->program_pid()), Millis{1000});
}

TEST(CpuTime, OfAProcessThatIsGoneIsZero) {
  const Agent agent("exit 0\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t program = child->program_pid();
  RunHandle watch;
  supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(tree_cpu_time(program), Millis{0});
}

}  // namespace
}  // namespace ralph::process

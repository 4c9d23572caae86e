// What a loop writes down of its steps, for whoever shows it.
#include "harness/store/line_follower.h"
#include "harness/store/loop_event.h"
#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

TEST(LoopEvents, EveryStepIsInItsEventFile) {
  LoopStage stage(
      {bash("echo one > one.txt"), answer("DONE"), bash("echo two > two.txt"), answer("DONE")});
  const auto ran = stage.loop_on("Write files", {"--commit", "--verify", "test -e two.txt"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto file = stage.work() / ".ralph/runs" / stage.state().loop_id / "loop.ndjson";
  EXPECT_EQ(test::mode_of(file), 0600U);
  std::string steps;
  std::optional<store::LoopEvent> last;
  const auto read = store::LineFollower(store::Location(file)).read([&](std::string_view line) {
    last = store::read_event(line);
    ASSERT_TRUE(last) << line;
    if (!std::holds_alternative<store::LoopNote>(last->step)) {
      steps += json::parse(line)->at("step").get<std::string>() + " ";
    }
  });
  ASSERT_TRUE(read) << describe(read.error());
  const std::string iteration = "iteration_started verifying verified committed ";
  EXPECT_EQ(steps, "started " + iteration + "refused iteration_ended " + iteration +
                       "iteration_ended ended ");
  EXPECT_EQ(last->step, store::LoopStep(store::LoopEnded{store::StopReason::done, "", 0}));
}

}  // namespace
}  // namespace ralph::loop_process

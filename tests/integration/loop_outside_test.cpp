// The loop and the world around it: limits of the service, other agents, the user's environment, who looks on.
#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

TEST(LoopOutside, ARateLimitIsWaitedForAsACountdownAndAKeyGoesOn) {
  LoopStage stage({R"({"error":{"status":429,"headers":{"x-should-retry":"false"}}})",
                   bash("echo 1 > a"), answer("DONE")});
  auto command = stage.loop_command({"-p", "Go"});
  command.transport = process::Transport::pty;
  command.input = process::StdinOpen{};
  bool pressed = false;
  const auto ran = stage.run(command, [&](std::string_view so_far, auto& watch) {
    if (!so_far.contains("rate limit reached; retrying in ") || std::exchange(pressed, true))
      return;
    watch.write("x");
  });
  EXPECT_TRUE(pressed);
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto records = stage.records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].step, store::LoopRecord::Step::attempt);
  EXPECT_EQ(records[0].outcome, store::StepOutcome(stream::Outcome::rate_limited));
  EXPECT_EQ(records[1].iteration, 1) << "what was limited is no iteration";
}

TEST(LoopOutside, AWaitThatIsLongerThanTheTimeLeftEndsAtOnce) {
  LoopStage stage({R"({"error":{"status":429,"headers":{"x-should-retry":"false"}}})"});
  const auto ran = stage.loop_on("Go", {"--max-time", "50s"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::time);
}

TEST(LoopOutside, StopEndsItAfterTheIteration) {
  LoopStage stage(
      {bash("ralph stop && ralph status --json > ../status && ralph tell 'Mind the gap'"),
       answer("One."), bash("echo 1 > b"), answer("DONE")});
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 130) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 1U);
  const auto status = json::parse(test::text_of(stage.folder() / "status"));
  ASSERT_TRUE(status) << test::text_of(stage.folder() / "status");
  EXPECT_EQ(status->value("state", ""), "running");
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  EXPECT_TRUE(stage.prompts().back().contains("Mind the gap"));
}

TEST(LoopOutside, ACommandOfItsOwnEndsByTheMarker) {
  LoopStage stage({answer("Nobody asks.")});
  stage.write(
      "agent.sh",
      "#!/bin/sh\ncat > prompt.txt\nn=$(cat n 2>/dev/null || echo 0)\nn=$((n+1))\necho $n > n\n"
      "echo \"Did part $n.\"\n[ $n -ge 2 ] && echo LOOP_DONE\nexit 0\n");
  const auto ran = stage.run(stage.command(
      {agent_process::ralph(), "loop", "-p", "Go", "-b", "custom", "--command", "sh agent.sh"}));
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_EQ(iterations[0].progress, "Did part 1.");
  EXPECT_TRUE(iterations[1].done);
  EXPECT_TRUE(stage.read("prompt.txt").contains("LOOP_DONE")) << "it was told how to answer";
}

TEST(LoopOutside, TheEnvironmentOfDirenvReachesTheAgentWhenTheUserAllowedIt) {
  LoopStage stage({bash("echo $FROM_ENVRC > seen"), answer("One."), bash("echo $FROM_ENVRC > seen"),
                   answer("DONE")});
  stage.write(".envrc", "export FROM_ENVRC=yes\n");
  auto ran = stage.loop_on("Go", {"--max-iterations", "1"});
  EXPECT_EQ(stage.read("seen"), "\n");
  EXPECT_TRUE(ran.err.contains("direnv allow")) << ran.err;
  stage.shell("direnv allow .");
  EXPECT_EQ(stage.loop({"--resume", "--max-iterations", "2"}).code(), 0);
  EXPECT_EQ(stage.read("seen"), "yes\n");
}

TEST(LoopOutside, VerificationThatWasChangedDuringTheLoopIsRefused) {
  LoopStage stage(
      {bash("printf '#!/bin/sh\\nexit 0\\n' > .ralph/check; echo 1 > a"), answer("DONE")});
  stage.shell(
      "mkdir -m 700 .ralph && printf '#!/bin/sh\\nexit 1\\n' > .ralph/check && chmod 700 "
      ".ralph/check");
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 4) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::tampered);
  EXPECT_TRUE((ran.out + ran.err).contains(".ralph/check")) << ran.out << ran.err;
  const auto again = stage.loop({"--resume"});
  EXPECT_EQ(again.code(), 2) << again.out << again.err;
  EXPECT_TRUE(again.err.contains("--accept-changes")) << again.err;
}

TEST(LoopOutside, OurOwnAgentIsStoppedWhenItRepeatsItself) {
  std::vector<std::string> steps(30, bash("cat start.txt"));
  LoopStage stage(steps);
  const auto ran = stage.loop_on("Go", {"--loop-guard", "3", "--max-failures", "1"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_LE(stage.requests().size(), 7U);
}

TEST(LoopOutside, TwoClonesWorkAtTheSameTime) {
  LoopStage one({bash("sleep 0.2; echo 1 > a"), answer("DONE")});
  LoopStage two({bash("echo 1 > a"), answer("DONE")});
  int other = -1;
  const auto ran =
      one.run(one.loop_command({"-p", "Go", "--json"}), [&](std::string_view so_far, auto&) {
        if (so_far.contains("session_started") && other == -1) other = two.loop_on("Go").code();
      });
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(other, 0);
}

}  // namespace
}  // namespace ralph::loop_process

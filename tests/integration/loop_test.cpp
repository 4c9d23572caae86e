// `ralph loop` → our own agent → the scripted API: what a user relies on.
#include "harness/store/guidance.h"
#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

using Words = std::vector<std::string>;

TEST(Loop, WorksUntilDoneAndKeepsARecordOfEachIteration) {
  LoopStage stage({bash("echo one > one.txt"), answer("Wrote one. Next: two."),
                   bash("echo two > two.txt"), answer("Wrote two. Next: nothing."),
                   answer("DONE")});
  const auto ran = stage.loop_on("Write files");
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 3U);
  EXPECT_EQ(iterations[0].progress, "Wrote one. Next: two.");
  EXPECT_TRUE(iterations[0].changed);
  EXPECT_FALSE(iterations[2].changed);
  EXPECT_TRUE(iterations[2].done);
  EXPECT_GT(iterations[0].cost_usd.value_or(0), 0);
  EXPECT_EQ(stage.state().end, store::StopReason::done);
  EXPECT_EQ(stage.read("two.txt"), "two\n");
  EXPECT_EQ(stage.shell("git log --oneline | wc -l"), "1\n") << "nothing is committed unasked";
}

TEST(Loop, EachIterationIsAFreshSessionThatKnowsWhatWasDone) {
  LoopStage stage({bash("touch x"), answer("First words."), answer("DONE")});
  stage.write("AGENTS.md", "Always use tabs.");
  EXPECT_EQ(stage.loop_on("The great goal").code(), 0);
  const auto prompts = stage.prompts();
  ASSERT_EQ(prompts.size(), 2U);
  for (const auto& prompt : prompts) {
    EXPECT_TRUE(prompt.contains("The great goal"));
    EXPECT_TRUE(prompt.contains("Always use tabs."));
    EXPECT_FALSE(prompt.contains("touch x")) << "a fresh session";
  }
  EXPECT_FALSE(prompts[0].contains("First words."));
  EXPECT_TRUE(prompts[1].contains("First words."));
}

TEST(Loop, TheWorkerIsCalledAsTheDocumentsSay) {
  LoopStage stage({bash("touch x"), answer("DONE")});
  EXPECT_EQ(stage
                .run(stage.command(
                    {agent_process::ralph(), "loop", "-p", "Go", "-b", "claude", "--model",
                     "sonnet", "--env", "SPY=" + (stage.folder() / "argv").string(), "--env",
                     "PATH=" RALPH_FIXTURES "/loop:" RALPH_BUILD "/tools:/usr/bin:/bin", "--env",
                     "RALPH=" RALPH_BUILD "/ralph"}))
                .code(),
            0);
  const auto words = test::text_of(stage.folder() / "argv");
  for (const auto* word :
       {"-p\n", "--model\nsonnet\n", "--verbose\n", "--input-format\nstream-json\n",
        "--output-format\nstream-json\n", "--json-schema\n{", "--effort\nmedium\n",
        "--dangerously-skip-permissions\n",
        "--tools\nRead,Write,Edit,Glob,Grep,Bash,Skill,StructuredOutput\n",
        "MAX_THINKING_TOKENS=16384\n"}) {
    EXPECT_TRUE(words.contains(word)) << word << words;
  }
}

TEST(Loop, DoneIsBelievedOnlyWhenVerificationAgrees) {
  LoopStage stage(
      {bash("echo wrong > result"), answer("DONE"), bash("echo right > result"), answer("DONE")});
  const auto ran = stage.loop_on(
      "Get it right", {"--verify", "grep right result || { echo no right in it; exit 3; }"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_EQ(iterations[0].outcome, store::StepOutcome(store::LoopDecision::refused));
  ASSERT_TRUE(iterations[0].verification);
  EXPECT_EQ(iterations[0].verification->reason, "exit code 3");
  EXPECT_TRUE(iterations[1].verification->passed);
  const auto prompts = stage.prompts();
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_TRUE(prompts[1].contains("no right in it")) << "the next prompt says why";
  EXPECT_TRUE(ran.out.contains("no right in it")) << ran.out;
}

TEST(Loop, ADoneThatIsRefusedAgainAndAgainEndsAsALimit) {
  LoopStage stage({bash("touch x"), answer("DONE"), answer("DONE"), answer("DONE")});
  const auto ran = stage.loop_on("Go", {"--verify", "false"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::refused);
  EXPECT_EQ(stage.iterations().size(), 3U);
}

TEST(Loop, ADoneWithoutAnyChangeEndsAsALimit) {
  LoopStage stage({answer("DONE")});
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::unchanged);
  EXPECT_TRUE((ran.out + ran.err).contains("no file was changed")) << ran.out << ran.err;
}

TEST(Loop, AnAnswerInTheWrongFormIsCorrectedInTheSameSession) {
  LoopStage stage({bash("touch x"), R"({"text":"I am done."})", R"({"text":"Really."})",
                   R"({"text":"What?"})", R"({"text":"Hm."})", answer("DONE")});
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 1U);
  EXPECT_TRUE(json::write(stage.requests().back()["body"]["messages"]).contains("touch x"));
}

TEST(Loop, AfterThreeCorrectionsTheIterationHasFailed) {
  Words steps(40, R"({"text":"Just words."})");
  LoopStage stage(steps);
  const auto ran = stage.loop_on("Go", {"--max-failures", "2", "--retry-delay", "1ms"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::failures);
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_TRUE(iterations[0].failed);
  // The prompt and three corrections, each with the agent's own reminder.
  EXPECT_EQ(stage.requests().size(), 16U);
}

TEST(Loop, TheLimitOfIterationsIsItsOwnOutcomeAndDoneOnTheLastOneIsDone) {
  {
    LoopStage stage({bash("touch a"), answer("One."), bash("touch b"), answer("Two.")});
    EXPECT_EQ(stage.loop_on("Go", {"--max-iterations", "2"}).code(), 6);
    EXPECT_EQ(stage.state().end, store::StopReason::iterations);
  }
  LoopStage stage({bash("touch a"), answer("One."), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--max-iterations", "2"}).code(), 0);
  EXPECT_EQ(stage.state().end, store::StopReason::done);
}

TEST(Loop, CostEndsItAlsoInTheMiddleOfAnIteration) {
  const std::string dear = R"("usage":{"input_tokens":100000,"output_tokens":1000})";
  const auto step = [&](std::string text) { return text.insert(text.size() - 1, "," + dear); };
  LoopStage stage({step(bash("touch a")), step(bash("touch b")), step(bash("touch c")),
                   step(bash("touch d")), step(answer("One."))});
  const auto ran = stage.loop_on("Go", {"--model", "sonnet", "--max-cost", "0.5"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::cost);
  EXPECT_LT(stage.requests().size(), 4U);
  EXPECT_TRUE(stage.iterations().empty()) << "it was cut short";
  EXPECT_GT(store::add_up(stage.records()).cost_usd, 0.4) << "but it was paid for";
}

TEST(Loop, TheCostOfADayCountsAllLoops) {
  LoopStage stage({bash("touch a"), answer("DONE"), bash("touch b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go").code(), 0);
  const auto spent = store::add_up(stage.records()).cost_usd;
  ASSERT_GT(spent, 0);
  const auto ran =
      stage.loop_on("Go on", {"--max-cost-per-day", fmt::format("{:.6f}", spent * 0.9)});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_TRUE(ran.out.contains("Ended        daily cost limit reached")) << ran.out;
  EXPECT_EQ(stage.state().end, store::StopReason::done)
      << "one that did nothing gives way to the loop before it";
  EXPECT_EQ(stage.requests().size(), 2U) << "not a single request more";
}

TEST(Loop, WithoutAnyProgressItEnds) {
  Words steps{bash("touch a"), answer("Looked around.")};
  for (int i = 0; i < 10; ++i) steps.push_back(answer("Looked around."));
  LoopStage stage(steps);
  EXPECT_EQ(stage.loop_on("Go", {"--max-idle", "2"}).code(), 6);
  EXPECT_EQ(stage.state().end, store::StopReason::no_progress);
  EXPECT_EQ(stage.iterations().size(), 3U);
}

TEST(Loop, AKeyThatIsRefusedEndsItAtOnce) {
  LoopStage stage({R"({"error":401})"});
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 3) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::agent);
  EXPECT_TRUE(stage.iterations().empty());
}

TEST(Loop, ASecondLoopInTheSameWorkspaceIsRefusedByPid) {
  LoopStage stage({R"({"text":"Hel","trouble":{"at":"in_block","do":"silence"}})"});
  std::string second;
  int code = -1;
  pid_t first = 0;
  stage.run(stage.loop_command({"-p", "Go", "--json"}), [&](std::string_view so_far, auto& watch) {
    if (!so_far.contains("session_started") || code != -1) return;
    first = static_cast<pid_t>(stage.state().pid);
    const auto ran = stage.loop_on("Go too");
    code = ran.code();
    second = ran.err;
    watch.send_signal(SIGTERM);
  });
  EXPECT_EQ(code, 9) << second;
  EXPECT_TRUE(second.contains(std::to_string(first))) << second;
}

TEST(Loop, TheFirstCtrlCLetsTheIterationEnd) {
  LoopStage stage({bash("touch a"), answer("One."), bash("touch b"), answer("DONE")});
  bool sent = false;
  const auto ran = stage.run(stage.loop_command({"-p", "Go", "--json"}),
                             [&](std::string_view so_far, auto& watch) {
                               if (!so_far.contains("\"tool_call\"") || std::exchange(sent, true))
                                 return;
                               watch.send_signal(SIGINT);
                             });
  EXPECT_EQ(ran.code(), 130) << ran.err;
  EXPECT_EQ(stage.iterations().size(), 1U) << "the iteration was finished";
  EXPECT_EQ(stage.state().end, store::StopReason::stopped);
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  EXPECT_EQ(stage.iterations().size(), 2U);
}

TEST(Loop, TheSecondCtrlCStopsNowAndNothingIsLost) {
  LoopStage stage({bash("touch a"), answer("One."), bash("tail -f start.txt"), bash("touch b"),
                   answer("DONE")});
  bool sent = false;
  const auto ran = stage.run(
      stage.loop_command({"-p", "Go", "--json"}), [&](std::string_view so_far, auto& watch) {
        if (!so_far.contains("tail -f start.txt") || std::exchange(sent, true)) return;
        watch.send_signal(SIGINT);
        watch.send_signal(SIGTERM);
      });
  EXPECT_GE(ran.code(), 130) << ran.err;
  EXPECT_EQ(stage.iterations().size(), 1U);
  ASSERT_EQ(stage.records().size(), 2U);
  EXPECT_GT(stage.records()[1].cost_usd.value_or(0), 0) << "what was stopped was paid for";
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_EQ(iterations[1].iteration, 2);
}

TEST(Loop, ResumeKnowsWhatWasSaidAtTheStart) {
  LoopStage stage(
      {bash("touch a"), answer("One."), answer("DONE"), bash("touch right"), answer("DONE")});
  EXPECT_EQ(
      stage.loop_on("The goal", {"--max-iterations", "1", "--verify", "test -f right"}).code(), 6);
  const auto ran = stage.loop({"--resume", "--max-iterations", "5"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 3U);
  EXPECT_EQ(iterations[1].outcome, store::StepOutcome(store::LoopDecision::refused))
      << "the verification of the start";
  EXPECT_TRUE(stage.prompts().back().contains("The goal"));
}

TEST(Loop, AnEndThatACrashKeptFromBeingWrittenIsFoundInTheRecords) {
  LoopStage stage({bash("touch a"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go").code(), 0);
  auto state = stage.state();
  state.status = store::LoopStatus::running;
  state.end.reset();
  ASSERT_TRUE(store::LoopStateFiles(stage.work()).save(state));
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  EXPECT_EQ(stage.state().end, store::StopReason::done);
  EXPECT_EQ(stage.requests().size(), 2U) << "nothing is asked again";
}

TEST(Loop, AfterALimitOfThingsInARowResumeCountsAnew) {
  LoopStage stage({bash("touch x"), answer("DONE"), answer("DONE"), answer("DONE"),
                   bash("touch right"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--verify", "test -f right"}).code(), 6);
  EXPECT_EQ(stage.state().end, store::StopReason::refused);
  const auto ran = stage.loop({"--resume"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 4U);
}

TEST(Loop, ADoneThatCrossesTheCostLimitIsBelieved) {
  const std::string dear = R"("usage":{"input_tokens":300000,"output_tokens":1000})";
  auto last = answer("DONE");
  last.insert(last.size() - 1, "," + dear);
  LoopStage stage({bash("touch x"), last});
  const auto ran = stage.loop_on("Go", {"--model", "sonnet", "--max-cost", "0.5"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 1U);
}

TEST(Loop, ARefusedStartLeavesTheLoopBeforeIt) {
  LoopStage stage({bash("touch a"), answer("One."), bash("touch b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--max-iterations", "1"}).code(), 6);
  EXPECT_EQ(stage.loop_on("Other", {"--commit"}).code(), 2) << "there are changes";
  EXPECT_EQ(stage.loop({"--resume", "--max-iterations", "5"}).code(), 0);
  EXPECT_EQ(stage.iterations().size(), 2U);
}

TEST(Loop, WhatAKilledLoopCostCountsForTheDayOfTheNext) {
  const std::string dear = R"("usage":{"input_tokens":300000,"output_tokens":1000})";
  auto first = bash("tail -f start.txt");
  first.insert(first.size() - 1, "," + dear);
  LoopStage stage({first, bash("touch b"), answer("DONE")});
  bool sent = false;
  stage.run(stage.loop_command({"-p", "Go", "--model", "sonnet", "--json"}),
            [&](std::string_view so_far, auto& watch) {
              if (!so_far.contains("tail -f start.txt") || std::exchange(sent, true)) return;
              watch.send_signal(SIGKILL);
            });
  const auto asked = stage.requests().size();
  const auto ran = stage.loop_on("New", {"--model", "sonnet", "--max-cost-per-day", "0.5"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("daily cost limit reached"), std::string::npos) << ran.out;
  EXPECT_FALSE(stage.state().end) << "the killed loop can be resumed";
  EXPECT_EQ(stage.requests().size(), asked) << "not a single request more";
}

TEST(Loop, AnotherGoalAfterDoneIsWorkedOn) {
  LoopStage stage({bash("touch a"), answer("DONE"), bash("touch b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go").code(), 0);
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  EXPECT_EQ(stage.iterations().size(), 1U) << "it was done already";
  EXPECT_EQ(stage.loop({"--resume", "-p", "Another goal"}).code(), 0);
  EXPECT_EQ(stage.iterations().size(), 2U);
  EXPECT_TRUE(stage.prompts().back().contains("Another goal"));
}

TEST(Loop, SettingsThatWereChangedMeanwhileAreNotTakenUnasked) {
  LoopStage stage(
      {bash("echo max_cost: 5000 > ralph.yml"), answer("One."), bash("touch b"), answer("DONE")});
  stage.write("ralph.yml", "max_cost: 1\n");
  EXPECT_EQ(stage.loop_on("Go", {"--max-iterations", "1"}).code(), 6);
  const auto refused = stage.loop({"--resume", "--max-iterations", "3"});
  EXPECT_EQ(refused.code(), 2) << refused.out;
  EXPECT_TRUE(refused.err.contains("ralph.yml")) << refused.err;
  EXPECT_EQ(stage.loop({"--resume", "--max-iterations", "3", "--accept-changes"}).code(), 0);
}

TEST(Loop, TheFileOfConfigIsRemembered) {
  LoopStage stage({bash("touch a"), answer("One."), bash("touch b"), answer("Two.")});
  std::ofstream(stage.folder() / "own.yml") << "max_iterations: 1\n";
  const auto file = (stage.folder() / "own.yml").string();
  EXPECT_EQ(stage.loop_on("Go", {"--config", file}).code(), 6);
  EXPECT_EQ(stage.loop({"--resume"}).code(), 6) << "the limit still holds";
  EXPECT_EQ(stage.iterations().size(), 1U);
}

TEST(Loop, AGoalThatIsTooLongIsRefusedAtTheStart) {
  LoopStage stage({answer("DONE")});
  stage.write("GOAL.md", std::string(2'000'000, 'g'));
  const auto ran = stage.loop({"GOAL.md"});
  EXPECT_EQ(ran.code(), 2) << ran.err;
  EXPECT_TRUE(ran.err.contains("2000000")) << ran.err;
}

TEST(Loop, GuidanceGoesIntoTheNextPromptOnce) {
  LoopStage stage({bash("touch a"), answer("One."), answer("DONE")});
  ASSERT_TRUE(store::Workspace::open(stage.work()));
  ASSERT_TRUE(
      store::Guidance(stage.work(), stage.home() / ".local/state/ralph").leave("Mind the gap"));
  EXPECT_EQ(stage.loop_on("Go").code(), 0);
  const auto prompts = stage.prompts();
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_TRUE(prompts[0].contains("Mind the gap"));
  EXPECT_FALSE(prompts[1].contains("Mind the gap"));
}

TEST(Loop, TheOlderHistoryIsCondensedByTheSummarizer) {
  Words steps;
  for (int i = 1; i <= 4; ++i) {
    steps.push_back(bash(fmt::format("touch f{}", i)));
    steps.push_back(answer(fmt::format("Did step {}.", i)));
  }
  steps.push_back(
      R"({"match":{"model":"haiku"},"tool_use":{"name":"StructuredOutput","input":{"summary":"Steps one to three in short."}}})");
  steps.push_back(answer("DONE"));
  LoopStage stage(steps);
  const auto ran =
      stage.loop_on("Go", {"--model", "sonnet", "--summarize-every", "4", "--recent", "1"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto records = stage.records();
  ASSERT_EQ(records.size(), 6U);
  EXPECT_EQ(records[4].step, store::LoopRecord::Step::summary);
  EXPECT_EQ(records[4].iteration, 3);
  EXPECT_GT(records[4].cost_usd.value_or(0), 0) << "its cost counts";
  const auto last = stage.prompts().back();
  EXPECT_TRUE(last.contains("Steps one to three in short."));
  EXPECT_TRUE(last.contains("Did step 4."));
  EXPECT_FALSE(last.contains("Did step 3."));
  const auto requests = stage.requests();
  const auto tools = json::write(requests[8]["body"]["tools"]);
  EXPECT_TRUE(tools.contains("\"Read\"") && !tools.contains("\"Bash\"") &&
              !tools.contains("\"Edit\""))
      << "the summarizer only reads";
}

TEST(Loop, ASummarizerThatFailsStopsNothing) {
  Words steps;
  for (int i = 1; i <= 2; ++i) {
    steps.push_back(bash(fmt::format("touch f{}", i)));
    steps.push_back(answer(fmt::format("Did step {}.", i)));
  }
  steps.push_back(R"({"match":{"model":"haiku"},"error":400})");
  steps.push_back(answer("DONE"));
  LoopStage stage(steps);
  const auto ran =
      stage.loop_on("Go", {"--model", "sonnet", "--summarize-every", "2", "--recent", "1"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 3U);
  EXPECT_TRUE(stage.prompts().back().contains("Did step 1."));
}

}  // namespace
}  // namespace ralph::loop_process

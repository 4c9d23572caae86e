// How `ralph loop` calls the agent it drives, and how it is ended in the middle of an iteration.
#include <algorithm>

#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

using Words = std::vector<std::string>;

/// What one start of the agent got.
struct SpiedCall {
  std::string words;  // one a line; then the variables and descriptors that matter
  std::string stdin_text;
};

/// A loop whose agent is called `claude`, notes what it was given, and is ours.
class SpiedLoop : public LoopStage {
 public:
  explicit SpiedLoop(const Words& steps) : LoopStage(steps) {
    std::filesystem::create_directories(calls_folder());
    folder().write("spy/claude",
                   "#!/bin/sh\n"
                   "n=$(ls \"$SPY\" | grep -c words)\n"
                   "[ -p /proc/self/fd/0 ] && [ -p /proc/self/fd/1 ] && both=pipes\n"
                   "{ printf '%s\\n' \"$@\"; env | grep '^MAX_THINKING_TOKENS='; echo \"$both\"; } "
                   ">\"$SPY/$n.words\"\n"
                   "tee \"$SPY/$n.stdin\" | \"$RALPH\" agent \"$@\"\n",
                   0755);
  }

  Ran spied(Words more) const {
    Words argv{agent_process::ralph(),
               "loop",
               "-p",
               "The goal of it",
               "-b",
               "claude",
               "--env",
               "SPY=" + calls_folder().string(),
               "--env",
               "RALPH=" + agent_process::ralph()};
    argv.insert(argv.end(), more.begin(), more.end());
    auto made = command(argv);
    made.env.push_back({"PATH", (folder() / "spy").string() + ":/usr/bin:/bin"});
    return run(made);
  }

  std::vector<SpiedCall> calls() const {
    std::vector<SpiedCall> calls;
    for (int n = 0;; ++n) {
      const auto base = calls_folder() / std::to_string(n);
      if (!std::filesystem::exists(base.string() + ".words")) return calls;
      calls.push_back(
          {test::text_of(base.string() + ".words"), test::text_of(base.string() + ".stdin")});
    }
  }

 private:
  std::filesystem::path calls_folder() const { return folder() / "calls"; }
};

TEST(LoopCall, ThePromptIsOneJsonLineOnStdinOverPipes) {
  SpiedLoop stage({bash("touch x"), answer("DONE")});
  const auto ran = stage.spied({"--model", "sonnet"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto calls = stage.calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_TRUE(calls[0].words.ends_with("\npipes\n")) << calls[0].words;
  EXPECT_FALSE(calls[0].words.contains("The goal of it")) << "the prompt is no argument";
  const auto lines = agent_process::lines_of(calls[0].stdin_text);
  ASSERT_EQ(lines.size(), 1U) << calls[0].stdin_text;
  const auto line = json::parse(lines[0]);
  ASSERT_TRUE(line) << lines[0];
  EXPECT_EQ((*line)["type"], "user");
  EXPECT_EQ((*line)["message"]["role"], "user");
  EXPECT_TRUE(json::write((*line)["message"]["content"]).contains("The goal of it"));
}

TEST(LoopCall, PartialMessagesAreAskedFor) {
  SpiedLoop stage({bash("touch x"), answer("DONE")});
  EXPECT_EQ(stage.spied({}).code(), 0);
  const auto calls = stage.calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_TRUE(calls[0].words.contains("--include-partial-messages\n")) << calls[0].words;
}

TEST(LoopCall, ACorrectionIsASecondLineOnTheOpenStdin) {
  SpiedLoop stage(
      {bash("touch x"), R"({"text":"Words."})", R"({"text":"Words."})", answer("DONE")});
  EXPECT_EQ(stage.spied({}).code(), 0);
  const auto calls = stage.calls();
  ASSERT_EQ(calls.size(), 1U) << "it was not started again";
  EXPECT_EQ(agent_process::lines_of(calls[0].stdin_text).size(), 2U) << calls[0].stdin_text;
}

TEST(LoopCall, TheSummarizerIsASmallModelThatThinksHardAndOnlyReads) {
  Words steps;
  for (int i = 1; i <= 2; ++i) {
    steps.push_back(bash(fmt::format("touch f{}", i)));
    steps.push_back(answer(fmt::format("Did step {}.", i)));
  }
  steps.push_back(
      R"({"match":{"model":"haiku"},"tool_use":{"name":"StructuredOutput","input":{"summary":"Short."}}})");
  steps.push_back(answer("DONE"));
  SpiedLoop stage(steps);
  const auto ran = stage.spied(
      {"--model", "sonnet", "--reasoning", "low", "--summarize-every", "2", "--recent", "1"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto calls = stage.calls();
  const auto summarizer = std::ranges::find_if(
      calls, [](const SpiedCall& call) { return call.words.contains("--model\nhaiku\n"); });
  ASSERT_NE(summarizer, calls.end());
  EXPECT_TRUE(summarizer->words.contains("--effort\nhigh\n")) << summarizer->words;
  EXPECT_TRUE(summarizer->words.contains("MAX_THINKING_TOKENS=16384\n")) << summarizer->words;
  EXPECT_TRUE(summarizer->words.contains("--tools\nRead,Glob,Grep,StructuredOutput\n"))
      << summarizer->words;
  EXPECT_TRUE(calls[0].words.contains("--effort\nlow\n")) << "the worker's is its own";
  EXPECT_TRUE(calls[0].words.contains("MAX_THINKING_TOKENS=8192\n")) << calls[0].words;
}

TEST(LoopCall, NoReasoningUnsetsTheThinkingBudget) {
  SpiedLoop stage({bash("touch x"), answer("DONE")});
  EXPECT_EQ(stage.spied({"--reasoning", "none"}).code(), 0);
  const auto calls = stage.calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_FALSE(calls[0].words.contains("MAX_THINKING_TOKENS")) << calls[0].words;
}

TEST(LoopStop, ADoneThatVerificationConfirmsIsDoneThoughNoFileChanged) {
  LoopStage stage({answer("DONE")});
  const auto ran = stage.loop_on("Go", {"--verify", "test -f start.txt"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::done);
  ASSERT_EQ(stage.iterations().size(), 1U);
  EXPECT_FALSE(stage.iterations()[0].changed);
}

/// Sends SIGINT and waits until the process has taken it: two that wait at the same time are one.
void interrupt(pid_t pid) {
  ::kill(pid, SIGINT);
  EXPECT_TRUE(process::eventually([&] {
    const auto status = test::text_of(fmt::format("/proc/{}/status", pid));
    const auto at = status.find("ShdPnd:\t");
    if (at == status.npos) return true;
    return (std::stoull(status.substr(at + 8), nullptr, 16) & (1ULL << (SIGINT - 1))) == 0;
  }));
}

TEST(LoopStop, TheSecondSigintStopsNowWith130) {
  LoopStage stage({bash("tail -f start.txt"), bash("touch b"), answer("DONE")});
  bool sent = false;
  const auto ran =
      stage.run(stage.loop_command({"-p", "Go", "--json"}), [&](std::string_view so_far, auto&) {
        if (!so_far.contains("tail -f") || std::exchange(sent, true)) return;
        const auto pid = static_cast<pid_t>(stage.state().pid);
        interrupt(pid);
        interrupt(pid);
      });
  EXPECT_EQ(ran.code(), 130) << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::stopped);
  EXPECT_TRUE(stage.iterations().empty()) << "it was cut short";
  EXPECT_EQ(stage.loop({"--resume"}).code(), 0);
  ASSERT_EQ(stage.iterations().size(), 1U);
  EXPECT_EQ(stage.iterations()[0].iteration, 1);
}

TEST(LoopStop, TimeEndsItAlsoInTheMiddleOfAnIteration) {
  LoopStage stage({R"({"text":"Hel","trouble":{"at":"in_block","do":"silence"}})"});
  const auto ran = stage.loop_on("Go", {"--max-time", "3s"});
  EXPECT_EQ(ran.code(), 6) << ran.out << ran.err;
  EXPECT_EQ(stage.state().end, store::StopReason::time);
  EXPECT_TRUE(stage.iterations().empty()) << "it was cut short";
}

}  // namespace
}  // namespace ralph::loop_process

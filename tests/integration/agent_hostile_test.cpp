// Commands that do their worst: the agent stays small, goes on with its turn, and leaves nothing running.
#include <fmt/core.h>

#include "integration/agent_calls.h"

namespace ralph::agent_process {
namespace {

namespace fs = std::filesystem;
using process::RunHandle;

constexpr std::uintmax_t kMostKept = std::uintmax_t{65} << 20;
constexpr std::string_view kStubborn =
    "trap '' TERM INT HUP; touch running; while :; do sleep 0.1; done";
/// Leaves for a session of its own with two forks, and holds the call's pipe open.
constexpr std::string_view kDaemon =
    "(setsid bash -c '(touch running; trap \"\" TERM; while :; do sleep 0.1; done) &' &); "
    "while [ ! -e running ]; do sleep 0.01; done; echo started";

void signal_when_running(RunHandle& watch, const Stage& stage, int number) {
  EXPECT_TRUE(process::eventually([&] { return fs::exists(stage.work() / "running"); }));
  watch.send_signal(number);
}

TEST(HostileCommand, AGigabyteOfOutputIsKeptWithinBounds) {
  Stage stage(script_of({bash("yes 123456789 | head -c 1000000000; echo; echo the end"),
                         bash("yes 123456789 | head -c 1000000000; echo the reason; exit 3"),
                         bash("head -c 1000000000 /dev/zero")}));
  const auto ran = stage.run(stage.agent(everything()));
  const auto results = expect_finished(ran, 3);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(ran.exit.max_rss_kb, kMostMemoryKb);
#endif
  EXPECT_LT(ran.out.size(), 1u << 20);
  EXPECT_TRUE(results[0].text.contains("the end")) << results[0].text;
  EXPECT_TRUE(results[0].text.contains("bytes between them were dropped")) << results[0].text;
  EXPECT_TRUE(results[1].failed);
  EXPECT_TRUE(results[1].text.contains("the reason")) << results[1].text;
  for (const auto& result : results) EXPECT_LT(result.text.size(), 32'000U);
  std::size_t kept = 0;
  for (const auto& file : stage.files()) {
    EXPECT_LT(fs::file_size(file), kMostKept) << file;
    if (file.parent_path().filename() == "tool-results") ++kept;
  }
  EXPECT_EQ(kept, 3U);
}

TEST(HostileCommand, ADaemonHoldsUpNeitherTheCallNorTheEnd) {
  Stage stage(script_of({bash(kDaemon), bash("echo next")}));
  const auto results = expect_finished(stage.run(stage.agent(everything())), 2);
  EXPECT_EQ(results[0].text, "started");
  EXPECT_EQ(results[1].text, "next");
}

TEST(HostileCommand, OneThatIgnoresSignalsIsEndedByItsTimeLimit) {
  Stage stage(script_of(
      {{"Bash", {{"command", kStubborn}, {"timeout", 200}}}, {bash("echo next; exit 0")}}));
  auto command = stage.agent(everything());
  command.env.push_back({"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"});
  const auto results = expect_finished(stage.run(command), 2);
  EXPECT_TRUE(results[0].failed);
  EXPECT_TRUE(results[0].text.contains("Command timed out")) << results[0].text;
  EXPECT_EQ(results[1].text, "next");
}

TEST(HostileCommand, TheEndOfTheAgentIsTheEndOfAllItStarted) {
  for (const auto* script :
       {kStubborn.data(), kDaemon.data(), "touch running; tail -f /dev/null"}) {
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
      SCOPED_TRACE(fmt::format("{} {}", number, script));
      Stage stage(script_of({bash(fmt::format("{}; tail -f /dev/null", script))}));
      RunHandle watch;
      const std::jthread sender(
          [&, signal = number] { signal_when_running(watch, stage, signal); });
      const auto ran = stage.run(stage.agent(everything()), watch);
      EXPECT_EQ(ran.code(), code) << ran.err;
      EXPECT_EQ(ran.exit.strays, 0) << "left running";
    }
  }
}

TEST(HostileCommand, WhatWentToTheBackgroundEndsWithTheAgent) {
  Stage stage(script_of({{"Bash", {{"command", kStubborn}, {"run_in_background", true}}}}));
  RunHandle watch;
  const std::jthread sender([&] { signal_when_running(watch, stage, SIGTERM); });
  const auto ran = stage.run(stage.agent(everything()), watch);
  EXPECT_EQ(ran.code(), 143) << ran.err;
  EXPECT_EQ(ran.exit.strays, 0) << "left running";
}

/// With a disk of a megabyte at work/disk; exit code 77: there can be none here.
Ran run_on_small_disk(const Stage& stage, const std::vector<std::string>& words) {
  fs::create_directories(stage.work() / "disk");
  auto command = stage.agent(words);
  const std::vector<std::string> wrapper{
      "/usr/bin/unshare",
      "--mount",
      "--map-root-user",
      "/bin/sh",
      "-c",
      R"(mount -t tmpfs -o size=1m none disk || exit 77; exec "$0" "$@")"};
  command.argv.insert(command.argv.begin(), wrapper.begin(), wrapper.end());
  return stage.run(command);
}

TEST(HostileCommand, AFullDiskIsAnErrorThatLeavesTheFileAsItWas) {
  const std::string large(300'000, 'x');
  Stage stage(
      script_of({{"Write", {{"file_path", "disk/f"}, {"content", "old\n"}}},
                 bash("head -c 5000000 /dev/zero > disk/filler"),
                 {"Write", {{"file_path", "disk/f"}, {"content", large}}},
                 {"Write", {{"file_path", "disk/new"}, {"content", large}}},
                 {"Edit", {{"file_path", "disk/f"}, {"old_string", "old"}, {"new_string", large}}},
                 {"Read", {{"file_path", "disk/f"}}},
                 bash("ls -A disk"),
                 bash("rm disk/filler"),
                 {"Write", {{"file_path", "disk/f"}, {"content", large}}},
                 bash("wc -c < disk/f")}));
  const auto ran = run_on_small_disk(stage, everything());
  if (ran.code() == 77 || ran.err.contains("unshare")) GTEST_SKIP() << ran.err;
  const auto results = expect_finished(ran, 10);
  for (const std::size_t i : {1U, 2U, 3U, 4U}) {
    EXPECT_TRUE(results[i].failed) << i;
    EXPECT_TRUE(results[i].text.contains("No space left on device")) << results[i].text;
  }
  EXPECT_EQ(results[5].text, "1\told\n2\t");
  EXPECT_EQ(results[6].text, "f\nfiller") << "something half written stays behind";
  EXPECT_FALSE(results[8].failed) << results[8].text;
  EXPECT_EQ(results[9].text, "300000");
}

TEST(HostileCommand, LongOutputWithoutRoomForItIsShownInPart) {
  Stage stage(
      script_of({bash("yes 123456789 | head -c 5000000; echo the end"), bash("echo next")}));
  auto command = stage.agent(everything());
  command.argv.insert(command.argv.begin(),
                      {"/bin/bash", "-c", R"(ulimit -f 512; exec "$0" "$@")"});
  const auto results = expect_finished(stage.run(command), 2);
  EXPECT_TRUE(results[0].text.contains("could not be saved")) << results[0].text;
  EXPECT_TRUE(results[0].text.contains("the end")) << results[0].text;
  EXPECT_EQ(results[1].text, "next");
}

}  // namespace
}  // namespace ralph::agent_process

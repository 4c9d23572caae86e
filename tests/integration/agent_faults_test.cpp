// What our agent leaves behind when it is killed, when the disk is full, when there is no home.
#include <condition_variable>
#include <random>

#include <fmt/core.h>

#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKills = 10;
#else
constexpr int kKills = 100;
#endif
constexpr std::size_t kTurns = 4;
constexpr std::int64_t kNever = 3'600'000'000;  // microseconds

/// Every line but the last is whole.
void expect_readable(const std::filesystem::path& transcript) {
  const auto text = test::text_of(transcript);
  auto lines = lines_of(text);
  if (!text.ends_with('\n') && !lines.empty()) lines.pop_back();
  for (const auto& line : lines) EXPECT_TRUE(json::parse(line)) << transcript << ": " << line;
}

/// Kills a conversation after a time, or once it has printed so much. True: before it had ended by itself.
bool kill_in_the_middle(const Stage& stage, const process::Command& command,
                        const std::vector<std::string>& lines, std::chrono::microseconds after,
                        std::size_t printed) {
  process::RunHandle watch;
  const std::jthread killer([&](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    if (!never.wait_for(lock, stop, after, [] { return false; }) && !stop.stop_requested()) {
      watch.send_signal(SIGKILL);
    }
  });
  const auto ran = stage.converse(command, lines, watch, [&](std::string_view so_far) {
    if (so_far.size() >= printed) watch.send_signal(SIGKILL);
  });
  return ran.exit.signal == SIGKILL;
}

TEST(AgentKilled, AtAnyMomentTheSessionGoesOn) {
  Stage stage(
      R"({"steps":[{"text":"one two three four five","chunk_size":5,"chunk_delay_ms":1}]})");
  const std::vector<std::string> lines(kTurns, user_line("go on"));
  const auto whole = stage.converse(stage.talk(), lines);
  ASSERT_EQ(whole.code(), 0) << whole.err;
  ASSERT_EQ(whole.of_type("result").size(), kTurns);

  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> moment(0, whole.exit.duration.count() * 1000);
  std::uniform_int_distribution<std::size_t> place(1, whole.out.size() * 3 / 4);
  int killed = 0;
  for (int i = 0; i < kKills; ++i) {
    const auto id = make_uuid();
    const bool by_time = i % 2 == 0;
    const auto after = by_time ? moment(random) : kNever;
    const auto printed = by_time ? std::string::npos : place(random);
    if (kill_in_the_middle(stage, stage.talk({"--session-id", id}), lines,
                           std::chrono::microseconds(after), printed)) {
      ++killed;
    }
    bool begun = false;
    for (const auto& file : stage.files()) {
      EXPECT_EQ(file.extension(), ".jsonl") << "left behind: " << file;
      if (file.stem() != id) continue;
      begun = true;
      expect_readable(file);
    }
    std::vector<std::string> how{"--continue"};
    if (begun) how = {"--resume", id};
    const auto next = stage.ask("and now?", how);
    EXPECT_EQ(next.code(), 0) << next.err << next.out;
    EXPECT_EQ(next.result().value("result", ""), "one two three four five") << next.out;
  }
  EXPECT_GE(killed, kKills / 4) << "hardly anything was killed in the middle";
}

/// The room on its disk is used up after so many kilobytes of a file.
process::Command with_room(const Stage& stage, int kilobytes, const std::string& id) {
  auto command = stage.talk({"--session-id", id});
  command.argv.insert(
      command.argv.begin(),
      {"/bin/bash", "-c", fmt::format("ulimit -f {}; exec \"$0\" \"$@\"", kilobytes)});
  return command;
}

TEST(AgentFullDisk, TheRunGoesOnAndSaysSoOnce) {
  for (const int kilobytes : {0, 1, 2, 4, 6}) {
    SCOPED_TRACE(kilobytes);
    Stage stage;
    const std::string id = make_uuid();
    const auto ran = stage.converse(with_room(stage, kilobytes, id),
                                    std::vector<std::string>(5, user_line("go on")));
    EXPECT_EQ(ran.code(), 0) << ran.err;
    EXPECT_EQ(ran.of_type("result", "success").size(), 5U);
    EXPECT_EQ(ran.of_type("system", "session_writes_lost").size(), 1U);
    const std::string_view said = "the session file is incomplete";
    const auto at = ran.err.find(said);
    ASSERT_NE(at, ran.err.npos) << ran.err;
    EXPECT_EQ(ran.err.find(said, at + 1), ran.err.npos) << ran.err;
    expect_understood(ran.out);

    const auto files = stage.files();
    ASSERT_EQ(files.size(), 1U);
    const auto kept = test::text_of(files.front());
    EXPECT_TRUE(kept.empty() || kept.ends_with("\n")) << "a torn line stays behind";
    expect_readable(files.front());
    const auto next = stage.ask("and now?", {"--resume", id});
    EXPECT_EQ(next.code(), 0) << next.err;
    EXPECT_EQ(next.result()["result"], "Hello.");
  }
}

/// Without a home, and without a key of the environment. The tester's own home may come into play, but is not written.
process::Command homeless(const Stage& stage, std::string_view home) {
  auto command = stage.agent({"hi", "--no-session-persistence"});
  command.env.push_back({"HOME", std::string(home)});
  command.env.push_back({"ANTHROPIC_API_KEY", ""});
  return command;
}

TEST(AgentHome, WithoutOneItStillAnswers) {
  Stage stage;
  auto command = homeless(stage, "");
  command.env.push_back({"ANTHROPIC_API_KEY", "sk-ant-test-key"});
  const auto ran = stage.run(command);
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.result()["result"], "Hello.");
  EXPECT_TRUE(std::filesystem::is_empty(stage.work()));
}

TEST(AgentHome, WithoutOneTheWorkspaceIsNotTakenForIt) {
  for (const auto* home : {"", "."}) {
    Stage stage;
    stage.folder().write("work/.config/ralph/auth.json", R"({"api_key":"workspace-key"})");
    stage.run(homeless(stage, home));
    EXPECT_FALSE(test::text_of(stage.folder() / "requests").contains("\"x-api-key\":\"work"));
    stage.folder().write("work/.claude/settings.json", R"({"apiKeyHelper":"touch ran; false"})");
    stage.run(homeless(stage, home));
    EXPECT_FALSE(std::filesystem::exists(stage.work() / "ran"));
  }
}

TEST(AgentHome, OneThatTakesNoFilesIsSaid) {
  Stage stage;
  auto command = stage.agent({"hi"});
  stage.folder().write("no-folder", "");
  command.env.push_back(
      {"HOME", (stage.folder() / "no-folder").string()});  // root may write anywhere
  const auto ran = stage.run(command);
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.result()["result"], "Hello.");
  EXPECT_EQ(ran.of_type("system", "session_writes_lost").size(), 1U);
  EXPECT_TRUE(ran.err.contains("the session file is incomplete")) << ran.err;
}

TEST(AgentInput, FiveMegabytesArriveWhole) {
  Stage stage;
  const std::string text = std::string(5 << 20, 'x') + "-end";
  auto command = stage.agent({});
  command.input = process::StdinText{text};
  const auto ran = stage.run(command);
  EXPECT_EQ(ran.code(), 0) << ran.err;
  ASSERT_EQ(stage.requests().size(), 1U);
  EXPECT_TRUE(json::write(stage.requests().front()).contains(text));
}

TEST(AgentInput, ElevenMegabytesAreRefused) {
  Stage stage;
  auto command = stage.agent({});
  command.input = process::StdinText{std::string(11 << 20, 'x')};
  const auto ran = stage.run(command);
  EXPECT_EQ(ran.code(), 1);
  EXPECT_TRUE(ran.err.contains("10 MB")) << ran.err;
  EXPECT_TRUE(stage.requests().empty());
}

}  // namespace
}  // namespace ralph::agent_process

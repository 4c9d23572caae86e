#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/unique_fd.h"
#include "core/base/utf8.h"
#include "harness/run/harness.h"
#include "harness/store/budget.h"
#include "harness/store/lock.h"
#include "harness/store/sessions.h"
#include "harness/store/workspace.h"

namespace ralph::run {
namespace {

using config::Key;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0u;
}

TEST(RunFiles, LogsJournalAndStateArePrivateAndWhole) {
  Bench bench;
  bench.flag(Key::task, {"Fix it!"});
  bench.flag(Key::mode, {"planner"});
  bench.script("stderr a word\n" + good_turn());
  const auto ran = bench.run();
  const auto name = ran.report.raw_log.filename().string();
  EXPECT_TRUE(name.ends_with("-planner-Fix-it.ndjson")) << name;
  auto err = ran.report.raw_log;
  EXPECT_EQ(*read_file(err.replace_extension(".stderr")), "a word\n");
  EXPECT_EQ(mode_of(ran.report.raw_log), 0600u);
  EXPECT_EQ(mode_of(ran.report.journal), 0600u);
  for (const auto* folder :
       {".ralph", ".ralph/logs", ".ralph/logs/claude", ".ralph/runs", ".ralph/state"}) {
    EXPECT_EQ(mode_of(bench.in_workspace(folder)), 0700u) << folder;
  }
  const auto sessions = *read_file(bench.in_workspace(".ralph/state/claude-session.json"));
  EXPECT_TRUE(sessions.contains("planner_session_id"));
  EXPECT_EQ(mode_of(bench.in_workspace(".ralph/state/claude-session.json")), 0600u);
}

TEST(RunFiles, TheJournalTellsTheWholeStory) {
  Bench bench;
  bench.script(good_turn());
  const auto ran = bench.run("A prompt with 'quotes'");
  const auto journal = bench.journal(ran);
  for (const auto* part :
       {R"("record":"started")", R"("argv":[)", R"("sha256":")", R"("record":"attempt")",
        R"("type":"session_started")", R"("type":"text")", R"("record":"attempt_ended")",
        R"("type":"result")", R"("record":"ended")", R"("outcome":"ok")", R"("git":)"}) {
    EXPECT_TRUE(journal.contains(part)) << part << "\n" << journal;
  }
}

TEST(RunFiles, TheJournalTellsWhereTheRepositoryStands) {
  Bench bench;
  bench.script(good_turn());
  EXPECT_TRUE(bench.journal(bench.run()).contains(R"("git":{})"));
  const std::string commit(40, 'a');
  ASSERT_TRUE(make_folders(bench.in_workspace(".git/refs/heads")));
  ASSERT_TRUE(write_file_atomically(bench.in_workspace(".git/HEAD"), "ref: refs/heads/main\n"));
  ASSERT_TRUE(write_file_atomically(bench.in_workspace(".git/refs/heads/main"), commit));
  const auto told = R"("git":{"head":")" + commit + R"(","branch":"main"})";
  const auto journal = bench.journal(bench.run());
  EXPECT_NE(journal.find(told), journal.rfind(told)) << "before and after\n" << journal;
  ASSERT_TRUE(write_file_atomically(bench.in_workspace(".git/HEAD"), "garbage"));
  const auto ran = bench.run();
  EXPECT_EQ(ran.report.verdict.outcome, stream::Outcome::ok);
  EXPECT_TRUE(bench.journal(ran).contains(R"("git":{"error":")"));
}

TEST(RunFiles, TheBudgetAddsUpOverRuns) {
  Bench bench;
  bench.script(good_turn());
  bench.run();
  bench.run();
  const auto budget = *read_file(bench.in_workspace(".ralph/state/budget.json"));
  EXPECT_TRUE(budget.contains("\"total_cost_usd\":0.5") ||
              budget.contains("\"total_cost_usd\": 0.5"))
      << budget;
  EXPECT_TRUE(budget.contains("\"iterations\":2") || budget.contains("\"iterations\": 2"))
      << budget;
}

TEST(RunFiles, TheBudgetNamesTheLimitOfTheLastRun) {
  Bench bench;
  bench.flag(Key::max_cost, {"2.5"});
  bench.script(good_turn());
  bench.run();
  const auto budget = *read_file(bench.in_workspace(".ralph/state/budget.json"));
  EXPECT_TRUE(budget.contains("\"max_cost_usd\": 2.5") || budget.contains("\"max_cost_usd\":2.5"))
      << budget;
}

TEST(RunFiles, AnAgentThatSaysNothingIsAnErrorThatNamesTheLog) {
  Bench bench;
  bench.flag(Key::retries, {"0"});
  bench.script("stderr it went wrong\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "no_output");
  EXPECT_TRUE(ran.report.verdict.message().contains(ran.report.raw_log.string()))
      << ran.report.verdict.message();
  EXPECT_TRUE(ran.report.verdict.message().contains("it went wrong"));
}

TEST(RunFiles, TheAgentIsStartedOnceAndNotAskedForItsVersion) {
  Bench bench;
  const auto calls = (bench.folder() / "calls").string();
  std::filesystem::remove(bench.folder() / "bin/claude");
  bench.folder().write("bin/claude", "#!/bin/sh\necho \"$1\" >>" + calls + "\n", 0700);
  bench.flag(Key::retries, {"0"});
  bench.flag(Key::backend, {"auto"});
  bench.run();
  EXPECT_EQ(*read_file(calls), "--dangerously-skip-permissions\n");
}

TEST(RunFiles, APlanMovesNothing) {
  Bench bench;
  const auto file = bench.in_workspace(".ralph/state/claude-session.json");
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "not JSON";
  bench.flag(Key::prompt, {"x"});
  bench.invocation.continue_session = true;
  auto made = bench.request();
  ASSERT_TRUE(made);
  std::vector<std::string> warnings;
  EXPECT_TRUE(prepare(*made, warnings));
  EXPECT_EQ(warnings.size(), 2u) << "unreadable, and so there is no session";
  EXPECT_EQ(*read_file(file), "not JSON");
}

TEST(RunFiles, ASessionOfACommandThatCannotResumeIsNotStored) {
  Bench bench;
  bench.flag(Key::command, {process::fake_agent() + " " + (bench.folder() / "script").string()});
  bench.flag(Key::output_format, {"stream-json"});
  bench.script(good_turn("All done.", "foreign-1"));
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(ran.summary.session_id, "foreign-1");
  EXPECT_FALSE(std::filesystem::exists(bench.in_workspace(".ralph/state/claude-session.json")));
}

TEST(RunFiles, ASecondRunIsRefusedWithTheFirstOnesPid) {
  Bench bench;
  const auto workspace = store::Workspace::open(bench.workspace());
  const auto lock = store::Lock::take(workspace->lock_file(), store::LockUser::run);
  bench.script(good_turn());
  const auto ran = bench.run();
  ASSERT_TRUE(ran.report.start_error);
  EXPECT_EQ(ran.outcome(), "locked");
  EXPECT_EQ(ran.report.verdict.exit_code(), 9);
  EXPECT_TRUE(ran.report.start_error->message.contains(std::to_string(::getpid())));
}

TEST(RunFiles, ALongPromptGoesThroughAFileThatIsGoneAfterwards) {
  Bench bench;
  const std::string prompt(7001, 'x');
  bench.script("copy-prompt DIR/copy\n" + good_turn());
  const auto ran = bench.run(prompt);
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(*read_file(bench.folder() / "copy"), prompt);
  EXPECT_TRUE(std::filesystem::is_empty(bench.in_workspace(".ralph/tmp")));
}

TEST(RunFiles, EveryAttemptFindsThePromptFile) {
  Bench bench;
  const std::string prompt(7001, 'x');
  bench.script("once DIR/tried\nremove .ralph/tmp\nexit 3\nend-once\ncopy-prompt DIR/copy\n" +
               good_turn());
  EXPECT_EQ(bench.run(prompt).outcome(), "ok");
  EXPECT_EQ(*read_file(bench.folder() / "copy"), prompt);
}

TEST(RunFiles, ASessionIsRememberedThoughTheRetryNeverGotSoFar) {
  Bench bench;
  bench.script("once DIR/tried\n" + init_line("first-1") + "exit 3\nend-once\nexit 4\n");
  EXPECT_EQ(bench.run().outcome(), "crashed");
  EXPECT_TRUE(
      read_file(bench.in_workspace(".ralph/state/claude-session.json"))->contains("first-1"));
}

std::string stored_session(const Bench& bench, std::string_view mode = "coder") {
  std::string warning;
  const auto file = store::Workspace::at(bench.workspace()).sessions_file();
  return store::Sessions::peek(file, warning).of_mode(mode);
}

TEST(RunFiles, AFailedResumeNeverReplacesTheStoredSession) {
  const std::string error =
      R"(line {"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"session_id":"new-2","errors":["No conversation found with session ID: stored-1"]})"
      "\nexit 1\n";
  const std::string refused =
      init_line("new-2") +
      R"(line {"type":"result","is_error":true,"result":"bad key","num_turns":1,"session_id":"new-2","api_error_status":401})"
      "\n";
  const std::string forked = init_line("new-2") + text_line("Half") + "exit 3\n";
  const std::string silent = "stderr No conversation found\nexit 1\n";
  for (const auto& script : {error, refused, forked, silent, init_line("stored-1") + "exit 3\n"}) {
    Bench bench;
    bench.script(good_turn("One.", "stored-1"));
    bench.run();
    bench.invocation.continue_session = true;
    bench.script(script);
    const auto ran = bench.run();
    EXPECT_NE(ran.report.verdict.exit_code(), 0) << script;
    EXPECT_EQ(stored_session(bench), "stored-1") << script;
    bench.invocation.continue_session = false;
    bench.invocation.resume = "other-3";
    bench.run();
    EXPECT_EQ(stored_session(bench), "stored-1") << script;
  }
}

TEST(RunFiles, ASessionThatDoesNotExistIsNoFork) {
  Bench bench;
  bench.invocation.resume = "gone-1";
  bench.script(
      R"(line {"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"session_id":"new-2","errors":["No conversation found with session ID: gone-1"]})"
      "\nexit 1\n");
  EXPECT_FALSE(bench.run().has("session_fork"));
  const auto file = bench.in_workspace(".ralph/state/claude-session.json");
  EXPECT_FALSE(read_file(file).value_or("").contains("new-2"));
}

TEST(RunFiles, AfterALoopTheBudgetHasTheLimitsOfTheRun) {
  Bench bench;
  bench.script(good_turn());
  bench.run();
  const auto file = store::Workspace::at(bench.workspace()).budget_file();
  ASSERT_TRUE(store::save_budget(
      file, {.total_cost_usd = 1, .max_cost_usd = 9, .iterations = 3, .max_iterations = 50}));
  bench.run();
  std::string warning;
  const store::Budget expected{
      .total_cost_usd = 1.25, .max_cost_usd = {}, .iterations = 4, .max_iterations = {}};
  EXPECT_EQ(store::load_budget(file, warning), expected);
}

/// Puts a folder in the place of our end of a pipe as soon as the agent has named it.
class PipeBreaker final : public stream::Handler {
 public:
  void on(const stream::Event&, const stream::Text& text) override {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      if (std::filesystem::read_symlink(entry.path(), error) != text.text) continue;
      const UniqueFd folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      // Reading it fails. Not by dup2(), which ThreadSanitizer takes for a race with the reader.
      ::syscall(SYS_dup3, folder.get(), std::stoi(entry.path().filename()), O_CLOEXEC);
    }
  }
};

TEST(RunFiles, AReadErrorFailsTheRunAndKeepsWhatWasRead) {
  Bench bench;
  // The pipe of stdout, by its name; then more until nobody reads it.
  bench.folder().write("agent.sh", "readlink /proc/self/fd/1\nwhile echo more; do :; done\n");
  bench.flag(Key::command, {"sh " + (bench.folder() / "agent.sh").string()});
  bench.flag(Key::prompt, {"Go."});
  auto request = bench.request();
  ASSERT_TRUE(request) << describe(request.error());
  stream::Summary summary(model::Table::builtin());
  PipeBreaker breaker;
  const RunObservers observers{summary, {&breaker}, [] {}, [](Millis) {}};
  const auto report = run::run(*std::move(request), observers, bench.control, Masker());
  EXPECT_EQ(report.verdict.outcome, stream::Outcome::read_failed) << report.verdict.message();
  EXPECT_TRUE(report.verdict.message().contains("stdout")) << report.verdict.message();
  EXPECT_EQ(report.verdict.exit_code(), 1);
  EXPECT_TRUE(read_file(report.raw_log)->starts_with("pipe:["));
  EXPECT_TRUE(read_file(report.journal)->contains(R"("outcome":"read_failed")"));
}

TEST(RunFiles, WhatACrashLeftInTmpIsSweptAtTheNextStart) {
  Bench bench;
  std::filesystem::create_directories(bench.in_workspace(".ralph/tmp"));
  ASSERT_TRUE(write_file_atomically(bench.in_workspace(".ralph/tmp/prompt-old.md"), "old"));
  bench.script(good_turn());
  bench.run();
  EXPECT_TRUE(std::filesystem::is_empty(bench.in_workspace(".ralph/tmp")));
}

TEST(RunFiles, TenMegabytesArriveByteExactOverAPipe) {
  Bench bench;
  bench.flag(Key::transport, {"pipe"});
  std::string prompt;
  for (int i = 0; prompt.size() < 10'000'000; ++i)
    prompt += "line " + std::to_string(i) + " \xff\x01\n";
  bench.script("save-stdin DIR/stdin\n" + good_turn());
  bench.invocation.standard_input = prompt;
  bench.flag(Key::prompt_file, {"-"});
  auto made = bench.request();
  ASSERT_TRUE(made) << describe(made.error());
  const auto ran = bench.run_request(*std::move(made));
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(*read_file(bench.folder() / "stdin"), prompt);
}

TEST(RunFiles, LinksThatAnAgentPutsIntoItsPlaceAreNotFollowed) {
  Bench bench;
  std::filesystem::create_directory(bench.folder() / "outside");
  bench.script(
      "once DIR/done\nrelink .ralph/state DIR/outside\nrelink .ralph/logs/claude DIR/outside\nexit "
      "1\nend-once\n" +
      good_turn());
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "storage_failed");
  EXPECT_TRUE(std::filesystem::is_empty(bench.folder() / "outside"));
}

TEST(RunFiles, ALogThatIsRemovedMeanwhileIsAFailure) {
  Bench bench;
  bench.script("remove .ralph/logs\n" + good_turn());
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "storage_failed");
  EXPECT_TRUE(ran.report.verdict.message().contains("was removed"));
}

TEST(RunFiles, ALogFolderThatCannotBeIsAboutTheDisk) {
  Bench bench;
  bench.script(good_turn());
  bench.flag(Key::log_dir, {"/dev/null"});
  const auto ran = bench.run();
  ASSERT_TRUE(ran.report.start_error);
  EXPECT_EQ(ran.report.verdict.exit_code(), 8);
}

TEST(RunFiles, ANameThatIsNotUtf8DoesNotSpoilTheJson) {
  Bench bench;
  const auto odd = bench.workspace() / "\xff\xfe";
  std::filesystem::create_directory(odd);
  bench.flag(Key::log_dir, {odd.string()});
  bench.script(init_line("session-1", "/usr") + result_line());
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  for (const auto& event : ran.events) EXPECT_EQ(utf8::repaired(event), event);
  const auto journal = bench.journal(ran);
  EXPECT_EQ(utf8::repaired(journal), journal);
}

TEST(RunFiles, AnAgentThatWorksElsewhereIsReported) {
  Bench bench;
  bench.script(init_line("session-1", "/usr") + result_line());
  EXPECT_TRUE(bench.run().has("\"topic\":\"cwd\""));
}

TEST(RunFiles, AForeignSystemPromptOnContinueIsWarnedAbout) {
  Bench bench;
  bench.script(good_turn());
  bench.flag(Key::system_prompt, {"Be brief."});
  bench.run();
  bench.invocation.continue_session = true;
  EXPECT_FALSE(bench.run().has("system prompt differs"));
  bench.flag(Key::system_prompt, {"Be long."});
  EXPECT_TRUE(bench.run().has("system prompt differs"));
}

TEST(RunFiles, ContinueWithoutASessionBeginsANewOneAndSaysSo) {
  Bench bench;
  bench.script(good_turn());
  bench.invocation.continue_session = true;
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_TRUE(ran.has("no coder session is stored"));
  EXPECT_FALSE(bench.journal(ran).contains("--continue"));
}

}  // namespace
}  // namespace ralph::run

#include "harness/run/control.h"

#include <thread>

#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;

/// Runs the bench while another thread waits for `file` and then does something to the control.
template <typename Act>
Ran run_and(Bench& bench, std::string_view file, Act act) {
  const std::jthread other([&] {
    EXPECT_TRUE(
        process::eventually([&] { return std::filesystem::exists(bench.folder() / file); }));
    act(bench.control);
  });
  return bench.run();
}

/// Asks the agent to stop; one that cannot be asked is ended, so that the test fails and does not hang.
void ask(Control& control) {
  const bool asked = control.ask(SIGINT);
  EXPECT_TRUE(asked);
  if (!asked) control.end(SIGINT);
}

/// What the running run has put into its journal so far.
std::string journal_in(const Bench& bench) {
  std::error_code error;
  std::string text;
  for (const auto& run :
       std::filesystem::directory_iterator(bench.in_workspace(".ralph/runs"), error)) {
    text += read_file(run.path() / "journal.ndjson").value_or("");
  }
  return text;
}

TEST(Stopping, AnAttachmentEndsWithItsScopeHoweverThatIsLeft) {
  Control control;
  try {
    process::RunHandle watch;
    const Control::Attachment attached(control, watch);
    throw std::runtime_error("no thread");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(control.ask(SIGINT)) << "there is no watch any more";
  }
}

TEST(Stopping, TheAgentIsAskedAndItsLastWordsAreKept) {
  Bench bench;
  bench.script(
      R"(on-int {"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"session-1"}\n)"
      "\n" +
      init_line() + "notify DIR/up\nhang\n");
  const auto ran = run_and(bench, "up", ask);
  EXPECT_EQ(ran.outcome(), "cancelled");
  EXPECT_EQ(ran.report.verdict.exit_code(), 130);
  EXPECT_EQ(ran.summary.result_count, 1);
  EXPECT_TRUE(
      read_file(bench.in_workspace(".ralph/state/claude-session.json"))->contains("session-1"));
}

TEST(Stopping, ASecondRequestEndsTheTree) {
  Bench bench;
  bench.script("ignore-term\nnote-int DIR/asked\nspawn-tool\n" + init_line() +
               "notify DIR/up\nhang\n");
  const auto ran = run_and(bench, "up", [&](Control& control) {
    ask(control);
    EXPECT_TRUE(
        process::eventually([&] { return std::filesystem::exists(bench.folder() / "asked"); }));
    EXPECT_FALSE(control.ask(SIGINT)) << "only once";
    control.end(SIGINT);
  });
  EXPECT_EQ(ran.report.verdict.exit_code(), 130);
}

TEST(Stopping, TerminationEndsTheTreeAtOnce) {
  for (const int signal_number : {SIGTERM, SIGHUP}) {
    Bench bench;
    bench.script("spawn-tool\ndaemon\n" + init_line() + text_line("Working") +
                 "notify DIR/up\nhang\n");
    const auto ran = run_and(bench, "up", [&](Control& control) { control.end(signal_number); });
    EXPECT_EQ(ran.report.verdict.exit_code(), 128 + signal_number);
    EXPECT_TRUE(read_file(ran.report.raw_log)->contains("Working"));
    EXPECT_TRUE(bench.journal(ran).contains(R"("record":"ended")"));
  }
}

TEST(Stopping, ARunThatIsStoppedIsNotStartedAgain) {
  Bench bench;
  bench.flag(Key::retries, {"5"});
  bench.script(init_line() + "notify DIR/up\nhang\n");
  const auto ran = run_and(bench, "up", ask);
  EXPECT_TRUE(ran.result().contains("\"attempts\":1"));
}

TEST(Stopping, APauseBeforeARetryEndsAtOnce) {
  Bench bench;
  bench.flag(Key::timeout, {"0"});
  bench.script(
      init_line() +
      R"(line {"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":4000000000}})"
      "\nnotify DIR/limited\nexit 1\n");
  const auto ran = run_and(bench, "limited", [&](Control& control) {
    EXPECT_TRUE(process::eventually([&] { return journal_in(bench).contains("retry_in_ms"); }));
    control.end(SIGTERM);
  });
  EXPECT_EQ(ran.report.verdict.exit_code(), 143);
}

TEST(Stopping, BeforeTheStartStartsNothing) {
  Bench bench;
  bench.script("notify DIR/started\n" + good_turn());
  bench.control.end(SIGTERM);
  const auto ran = bench.run();
  EXPECT_EQ(ran.report.verdict.exit_code(), 143);
  EXPECT_FALSE(std::filesystem::exists(bench.folder() / "started"));
}

TEST(Stopping, ANearerLimitStaysWhereItIs) {
  Bench bench;
  bench.flag(Key::timeout, {"1500ms"});
  bench.script("ignore-term\nnote-int DIR/asked\n" + init_line() + "notify DIR/up\nhang\n");
  const auto begin = std::chrono::steady_clock::now();
  run_and(bench, "up", ask);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, Control::kPatience);
}

TEST(Stopping, ATextAgentThatLeavesPolitelyWhenAskedIsCancelled) {
  Bench bench;
  bench.flag(Key::command, {process::fake_agent() + " " + (bench.folder() / "script").string()});
  bench.script("on-int bye\\n\nline partial\nnotify DIR/up\nhang\n");
  const auto ran = run_and(bench, "up", ask);
  EXPECT_EQ(ran.report.verdict.exit_code(), 130);
}

TEST(Stopping, WithoutAnAgentThereIsNobodyToAsk) {
  Control control;
  EXPECT_FALSE(control.ask(SIGINT));
  control.end(SIGINT);
  EXPECT_TRUE(control.token().stop_requested());
  EXPECT_EQ(control.cancelled_by(), SIGINT);
  EXPECT_FALSE(control.wait(std::chrono::hours(1)));
  control.end(SIGTERM);
  EXPECT_EQ(control.cancelled_by(), SIGINT) << "the first signal counts";
}

}  // namespace
}  // namespace ralph::run

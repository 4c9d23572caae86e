#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;

TEST(MustHave, HappyPath) {
  Bench bench;
  bench.script("file " RALPH_FIXTURES "/claude/text_turn.ndjson\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(ran.report.verdict.exit_code(), 0);
  EXPECT_EQ(ran.summary.text, "Hello from the fake.");
  EXPECT_FALSE(ran.summary.session_id.empty());
  EXPECT_TRUE(ran.result().contains("\"session_id\":\"" + ran.summary.session_id + "\""));
  EXPECT_EQ(*read_file(ran.report.raw_log), test::fixture("claude/text_turn.ndjson"));
  EXPECT_TRUE(ran.report.raw_log.string().contains("/.ralph/logs/claude/"));
}

TEST(MustHave, LargeLines) {
  for (const auto* transport : {"pty", "pipe"}) {
    Bench bench;
    bench.flag(Key::transport, {transport});
    bench.script(init_line() + "longline 20000000\n" + result_line());
    const auto ran = bench.run();
    EXPECT_EQ(ran.outcome(), "ok");
    EXPECT_EQ(ran.summary.text, "All done.");
    EXPECT_TRUE(ran.result().contains("\"skipped_lines\":0"));
    EXPECT_GT(std::filesystem::file_size(ran.report.raw_log), 20'000'000u);
  }
}

TEST(MustHave, MissingResult) {
  Bench bench;
  bench.script(init_line() + text_line("Half of it"));
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "no_result");
  EXPECT_EQ(ran.report.verdict.exit_code(), 1);
  EXPECT_TRUE(ran.report.verdict.message().contains(ran.report.raw_log.string()))
      << ran.report.verdict.message();
  EXPECT_TRUE(ran.result().contains("\"text\":\"Half of it\""));
  EXPECT_TRUE(ran.result().contains("\"attempts\":2")) << "it is retried once";
}

TEST(MustHave, PermissionDenials) {
  Bench bench;
  bench.script(
      init_line() + tool_line("call-1") +
      R"(line {"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"call-1","message":"denied"})"
      "\nhang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "permission_denied");
  EXPECT_EQ(ran.report.verdict.exit_code(), 4);
  EXPECT_EQ(ran.report.verdict.detail, "Bash");
  EXPECT_TRUE(ran.result().contains(R"("denied":[{"tool":"Bash","call_id":"call-1")"));
  EXPECT_TRUE(ran.result().contains("\"attempts\":1")) << "a denial is final";
}

TEST(MustHave, Continue) {
  Bench bench;
  bench.script(good_turn("One.", "aaaa-1"));
  EXPECT_EQ(bench.run().summary.session_id, "aaaa-1");

  bench.invocation.continue_session = true;
  auto again = bench.run();
  EXPECT_EQ(again.outcome(), "ok");
  EXPECT_TRUE(bench.journal(again).contains(R"("--resume","aaaa-1")"));
  EXPECT_FALSE(again.has("session_fork"));

  bench.script(good_turn("Two.", "bbbb-2"));
  auto forked = bench.run();
  EXPECT_EQ(forked.outcome(), "ok");
  EXPECT_TRUE(forked.has("\"topic\":\"session_fork\""));
  auto state = *read_file(bench.in_workspace(".ralph/state/claude-session.json"));
  std::erase(state, ' ');
  EXPECT_TRUE(state.contains(R"("coder_session_id":"bbbb-2")")) << state;
  EXPECT_TRUE(state.contains(R"("forked_from":"aaaa-1")")) << state;
}

TEST(MustHave, Timeout) {
  Bench bench;
  bench.flag(Key::timeout, {"300ms"});
  bench.script("spawn-tool\ndaemon\n" + init_line() + text_line("Working") + "ignore-term\nhang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "timed_out");
  EXPECT_EQ(ran.report.verdict.exit_code(), 7);
  EXPECT_TRUE(ran.report.verdict.message().contains("300ms"));
  EXPECT_TRUE(read_file(ran.report.raw_log)->contains("Working"));
}

}  // namespace
}  // namespace ralph::run

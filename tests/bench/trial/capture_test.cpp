#include <gtest/gtest.h>

#include "bench/trial/message_recorder.h"
#include "bench/trial/terminal_log.h"
#include "bench/trial/workspace.h"
#include "support/temp_folder.h"

namespace ralph::trial {
namespace {

// FR-004: "System MUST capture all stdout and stderr output from Claude Code execution to artifacts directory".
// FR-016: "write raw terminal output to timestamped log file in artifacts/claude-code-logs/ directory".
TEST(TerminalLogFile, HasEveryByteUpToItsLimit) {
  test::TempFolder folder;
  auto log = TerminalLog::create(folder / "logs/a.log", 10);
  ASSERT_TRUE(log);
  ASSERT_TRUE(log->append("12345"));
  ASSERT_TRUE(log->append("67890"));
  EXPECT_EQ(test::text_of(folder / "logs/a.log"), "1234567890");
  ASSERT_TRUE(log->append("more"));
  ASSERT_TRUE(log->append("and more"));
  EXPECT_EQ(test::text_of(folder / "logs/a.log"),
            "1234567890\n[OUTPUT TRUNCATED: Exceeded 10 bytes]\n");
  EXPECT_EQ(log->bytes(), 22U);
  EXPECT_EQ(test::mode_of(folder / "logs/a.log"), 0600U);
}

TEST(TerminalLogFile, TextHasNoEscapes) {
  EXPECT_EQ(without_escapes("\x1b[1;31mred\x1b[0m \x1b]0;title\aplain \x1b]8;;x\x1b\\link\x1b(B"),
            "red plain linkB");
  test::TempFolder folder;
  auto log = TerminalLog::create(folder / "a.log");
  ASSERT_TRUE(log->append("\x1b[2Ja\xff"));
  EXPECT_EQ(log->text(100).value(), "a\xEF\xBF\xBD");
}

stream::Event event_of(const stream::Payload& payload, std::string_view parent = "") {
  stream::Event event;
  event.t_ms = 5;
  event.parent = parent;
  event.what = payload;
  return event;
}

// US4-2: "messages, tool calls, and execution metadata are extracted into structured format".
TEST(Messages, ToolCallsBelongToTheMessageBeforeThem) {
  MessageRecorder recorder{UtcTime{}};
  recorder.add(Message::Role::user, "do it");
  stream::dispatch(event_of(stream::Text{"Let ", false, true, "m1"}), recorder);
  stream::dispatch(event_of(stream::Text{"me", true, false, "m1"}), recorder);
  stream::dispatch(event_of(stream::Text{"me see", false, true, "m1"}), recorder);
  stream::dispatch(event_of(stream::ToolCall{
                       "t1", "Bash", stream::ToolKind::shell, "ls", {R"({"command":"ls"})"}}),
                   recorder);
  stream::dispatch(event_of(stream::ToolResult{"t1", "Bash", true, 0, "a.txt"}), recorder);
  stream::dispatch(
      event_of(stream::ToolCall{"t2", "Read", stream::ToolKind::read, "", {"{}"}}, "t9"), recorder);
  const auto messages = recorder.take();
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[1].content, "Let me see");
  EXPECT_EQ(messages[1].calls.at(0).arguments, R"({"command":"ls"})");
  EXPECT_EQ(messages[2].role, Message::Role::tool);
  EXPECT_EQ(messages[2].call_id, "t1");
  EXPECT_EQ(messages[3].parent, "t9");
}

// 4.4: "beyond 10 485 760 bytes together capture stops with a truncation warning"; "the normalised copy stops at 10 MiB".
TEST(Messages, StopAtTheLimitWithAWarning) {
  MessageRecorder recorder(UtcTime{}, 10);
  stream::dispatch(event_of(stream::Text{"12345678"}), recorder);
  stream::dispatch(event_of(stream::Text{"éé"}), recorder);
  stream::dispatch(event_of(stream::Text{"more"}), recorder);
  EXPECT_TRUE(recorder.truncated());
  const auto messages = recorder.take();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].content, "é\n[OUTPUT TRUNCATED: Exceeded 10MB limit]");
  EXPECT_EQ(kMostCaptured, 10'485'760U);
}

TEST(TrialWorkspace, HasIdsOfTheFormatAndALockWhileItLives) {
  const UtcTime now{Millis{1'763'450'000'123}};
  EXPECT_EQ(run_id("", now), "run-2025-11-18-1763450000123");
  EXPECT_EQ(run_id("mine", now), "mine-2025-11-18-1763450000123");
  EXPECT_EQ(eval_id(now), "eval-2025-11-18T07-13-20-123Z");
  test::TempFolder folder;
  std::filesystem::path root;
  {
    auto one = Workspace::create(folder / "a/b", "", "repo", now);
    auto two = Workspace::create(folder / "a/b", "", "repo", now);
    ASSERT_TRUE(one && two);
    root = one->layout().root;
    EXPECT_NE(root, two->layout().root);
    EXPECT_TRUE(test::text_of(root / ".lock").contains("\"repo\":\"repo\""));
    EXPECT_TRUE(std::filesystem::is_directory(one->layout().artifacts / "evaluators"));
    two->remove_all();
    EXPECT_FALSE(std::filesystem::exists(root.parent_path() / "run-2025-11-18-1763450000124"));
  }
  EXPECT_FALSE(std::filesystem::exists(root / ".lock"));
  EXPECT_TRUE(std::filesystem::exists(root / "artifacts"));
}

}  // namespace
}  // namespace ralph::trial

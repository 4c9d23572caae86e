#include "bench/trial/adapter.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::trial {
namespace {

/// A workspace and the scripted agent as `claude`.
class AdapterTest : public testing::Test {
 protected:
  AdapterTest() {
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_directories(folder_ / "work");
    std::filesystem::create_symlink(std::filesystem::path(RALPH_BUILD) / "fake_agent",
                                    folder_ / "bin/claude");
    spec_.type = "claude-code";
    spec_.prompt = "Do it";
    spec_.env = {{"RALPH_FAKE_SCRIPT", (folder_ / "agent").native()},
                 {"PATH", (folder_ / "bin").native()},
                 {"IS_SANDBOX", "1"}};
    context_.workspace = folder_ / "work";
    context_.artifacts = folder_ / "artifacts";
    context_.environment = {"ANTHROPIC_API_KEY=k-123456789", "HOME=" + folder_.path().native()};
    context_.timeout = Millis{60'000};
  }

  Result<Execution> run(std::string_view script) {
    folder_.write("agent", script);
    run::Control control;
    return Adapter::find(spec_)->execute(context_, {}, control, Masker());
  }

  test::TempFolder folder_;
  AgentSpec spec_;
  ExecutionContext context_;
};

// FR-001, 4.16: "an adapter interface: name, check availability, execute(context) → result, normalise".
TEST_F(AdapterTest, HasANameAndRunsItsAgent) {
  const auto adapter = Adapter::find(spec_);
  ASSERT_TRUE(adapter);
  EXPECT_EQ(adapter->name(), "claude-code");
  EXPECT_TRUE(adapter->check_availability(context_));
  const auto ran = run(
      R"(line {"type":"system","subtype":"init","session_id":"s","model":"m-1","claude_code_version":"2.1.325"}
line {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s","num_turns":1,"total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":2}}
)");
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->status, TrialStatus::success);
  // FR-014: "detect Claude Code version from output"; FR-015, SC-007: "the model used".
  EXPECT_EQ(ran->version, "2.1.325");
  EXPECT_EQ(ran->model, "m-1");
  EXPECT_EQ(ran->usage.output, 2);
  EXPECT_EQ(ran->cost_usd, 0.5);
  EXPECT_TRUE(std::filesystem::is_empty(context_.workspace));
}

TEST_F(AdapterTest, UnknownTypesAreNamed) {
  spec_.type = "nobody";
  const auto adapter = Adapter::find(spec_);
  ASSERT_FALSE(adapter);
  EXPECT_TRUE(adapter.error().message.contains("unknown agent 'nobody'"));
}

// FR-002, FR-017: "clear error messages when Claude Code is not installed or authentication fails".
TEST_F(AdapterTest, AMissingCredentialAndAMissingProgramAreErrors) {
  context_.environment = {"HOME=" + folder_.path().native()};
  auto usable = Adapter::find(spec_)->check_availability(context_);
  ASSERT_FALSE(usable);
  EXPECT_EQ(usable.error().message,
            "Claude Code requires authentication. Run \"claude /login\" or set ANTHROPIC_API_KEY "
            "environment variable.");
  spec_.env[1].value = "/nowhere";
  usable = Adapter::find(spec_)->check_availability(context_);
  ASSERT_FALSE(usable);
  EXPECT_EQ(usable.error().code, Code::not_found);
}

// FR-003: "-p"; US2-3: "no agent_name or model specified, … runs with default configuration". Partial messages carry the
// usage of an agent that is ended at its time limit.
TEST_F(AdapterTest, ThePlainCommandLine) {
  EXPECT_EQ(Adapter::find(spec_)->command_line(context_).value(),
            (std::vector<std::string>{"claude", "--dangerously-skip-permissions", "-p", "Do it",
                                      "--output-format", "stream-json", "--verbose",
                                      "--include-partial-messages"}));
}

// US5-3: "config.allowed_tools: ["Read", "Write"], … invoked with `--allowedTools` flag", in any permission mode.
TEST_F(AdapterTest, AllowedToolsArePassedAsTheyAre) {
  spec_.allowed_tools = {"Read", "Write"};
  spec_.permission_mode = "plan";
  const auto words = Adapter::find(spec_)->command_line(context_).value();
  const auto at = std::ranges::find(words, "--allowedTools");
  ASSERT_NE(at, words.end());
  EXPECT_EQ(*(at + 1), "Read,Write");
}

// FR-021: a prompt is one argument up to 131,071 bytes, and comes on stdin above that or if it would be an option.
TEST_F(AdapterTest, ALongPromptGoesOverStdin) {
  spec_.prompt = std::string(131'071, 'a');
  EXPECT_EQ(Adapter::find(spec_)->command_line(context_).value().at(3), spec_.prompt);
  spec_.prompt += 'a';
  EXPECT_EQ(Adapter::find(spec_)->command_line(context_).value().at(3), "--output-format");
  spec_.prompt = "-v is no option";
  EXPECT_EQ(Adapter::find(spec_)->command_line(context_).value().at(3), "--output-format");
  spec_.prompt = "/help is no command of ours";
  EXPECT_EQ(Adapter::find(spec_)->command_line(context_).value().at(3), spec_.prompt);
}

// FR-010, SC-004: "respect timeout configuration and terminate Claude Code process if exceeded".
TEST_F(AdapterTest, ATimeoutEndsTheWholeTreeAndKeepsTheOutput) {
  context_.timeout = Millis{300};
  const auto ran = run("line so far\nignore-term\ndaemon\ngrandchild-holds-stdout\nhang\n");
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->status, TrialStatus::timeout);
  EXPECT_EQ(ran->errors.at(0).message, "Execution timed out after 300ms");
  EXPECT_EQ(ran->messages.back().content, "so far\n");
}

// 4.8: "a crash is `failed` with the OS exit code and stderr".
TEST_F(AdapterTest, ACrashHasItsExitCodeAndStderr) {
  const auto ran = run("stderr segfault in parser\nsignal 11\n");
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->status, TrialStatus::failed);
  EXPECT_EQ(ran->exit_code, 139);
  EXPECT_EQ(ran->signal, 11);
  EXPECT_TRUE(std::ranges::any_of(ran->errors, [](const auto& error) {
    return error.message == "stderr: segfault in parser";
  }));
}

}  // namespace
}  // namespace ralph::trial

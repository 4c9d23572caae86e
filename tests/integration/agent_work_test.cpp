// The loop of document 003: workers that repair a program in a git repository, then a summarizer. Only the model is scripted.
#include <map>

#include <fmt/core.h>

#include "integration/agent_calls.h"

namespace ralph::agent_process {
namespace {

constexpr std::string_view kProgram = R"(#!/bin/sh
# Adds its arguments up.
total=0
for number in "$@"; do
  total=$((total - number))
done
echo $total
)";
constexpr std::string_view kCheck = R"(#!/bin/sh
got=$(./src/sum.sh 1 2 3)
[ "$got" = 6 ] || { echo "FAIL: 1 + 2 + 3 is 6, not $got"; exit 1; }
echo PASS
)";
/// What the user of such a loop allows: the lines have no option for it.
constexpr std::string_view kSettings = R"json({"permissions":{"defaultMode":"acceptEdits",
    "allow":["Bash(./check.sh)","Bash(git add *)","Bash(git commit *)"]}})json";

Document call(std::string_view tool, const Document& input) {
  return {{"thinking", "What now?"},
          {"text", "Going on."},
          {"tool_use", {{"name", tool}, {"input", input}}}};
}

Document summary(std::string_view text) { return call("StructuredOutput", {{"summary", text}}); }

/// Two workers and a summarizer, one after the other.
std::string script() {
  return json::write(Document{
      {"steps",
       {call("Glob", {{"pattern", "**/*.sh"}}),
        call("Grep", {{"pattern", "total"}, {"output_mode", "content"}}),
        call("Read", {{"file_path", "src/sum.sh"}}), call("Bash", {{"command", "./check.sh"}}),
        call("Edit", {{"file_path", "src/sum.sh"},
                      {"old_string", "total - number"},
                      {"new_string", "total + number"}}),
        call("Write", {{"file_path", "NOTES.md"}, {"content", "The sign was wrong.\n"}}),
        call("Bash", {{"command", "./check.sh"}}),
        call("Bash", {{"command", "git add -A && git commit -q -m 'Add, do not subtract'"}}),
        call("Bash", {{"command", "curl http://127.0.0.1:9/"}}), summary("the sum is right"),
        call("Bash", {{"command", "git status --short"}}), summary("DONE"),
        call("Read", {{"file_path", "NOTES.md"}}), summary("one bug was found and repaired")}},
      {"then", "error"}});
}

void run_ok(const Stage& stage, std::vector<std::string> argv) {
  const auto ran = stage.run(stage.command(std::move(argv)));
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
}

void make_repository(const Stage& stage) {
  stage.folder().write("work/src/sum.sh", kProgram, 0755);
  stage.folder().write("work/check.sh", kCheck, 0755);
  stage.folder().write("home/.claude/settings.json", kSettings);
  stage.folder().write("home/.gitconfig", "[user]\nname = Tester\nemail = tester@example.com\n");
  run_ok(stage, {"git", "init", "-q"});
  run_ok(stage, {"git", "add", "-A"});
  run_ok(stage, {"git", "commit", "-q", "-m", "A program with a bug"});
  auto login = stage.command({ralph(), "auth", "login"});
  login.input = process::StdinText{"sk-ant-stored-key\n"};
  ASSERT_EQ(stage.run(login).code(), 0);
}

void expect_usage(const Document& usage) {
  for (const auto* name : {"input_tokens", "output_tokens", "cache_creation_input_tokens",
                           "cache_read_input_tokens"}) {
    EXPECT_TRUE(usage.contains(name) && usage[name].is_number()) << name << " " << usage;
  }
}

/// Every field that document's section 4.2 takes from the stream.
void expect_contract(const Ran& ran) {
  std::map<std::string, std::string> calls;
  for (auto& event : ran.of_type("assistant")) {
    EXPECT_EQ(event["message"]["role"], "assistant");
    expect_usage(event["message"]["usage"]);
    for (auto& block : event["message"]["content"]) {
      const auto type = block.value("type", "");
      if (type == "text" || type == "thinking") {
        EXPECT_TRUE(block[type].is_string()) << block;
      }
      if (type != "tool_use") continue;
      EXPECT_TRUE(block["input"].is_object());
      calls[block["id"].get<std::string>()] = block["name"].get<std::string>();
    }
  }
  for (auto& event : ran.of_type("user")) {
    EXPECT_TRUE(event.contains("tool_use_result"));
    auto& block = event["message"]["content"][0];
    EXPECT_EQ(block["type"], "tool_result");
    EXPECT_TRUE(calls.contains(block.value("tool_use_id", ""))) << block;
    EXPECT_TRUE(block.contains("content"));
  }
  EXPECT_EQ(tool_results(ran).size(), calls.size());
  const auto result = ran.result();
  EXPECT_EQ(result.value("is_error", true), false) << result;
  expect_usage(result["usage"]);
}

/// The line through a shell, as it is printed there; the last event is the result, and only then stdin ends.
Ran run_line(const Stage& stage, std::string_view line) {
  auto command = stage.command({"/bin/sh", "-c", std::string(line)});
  command.input = process::StdinOpen{};
  auto ran = stage.converse(command, {user_line("Make check.sh pass. Goal: a right sum.")});
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.exit.strays, 0);
  expect_understood(ran.out);
  expect_contract(ran);
  return ran;
}

std::string summary_of(const Ran& ran) {
  return ran.result()["structured_output"].value("summary", "");
}

void expect_first_worker(const Ran& ran) {
  const auto results = tool_results(ran);
  ASSERT_EQ(results.size(), 10U) << ran.out;
  EXPECT_TRUE(results[0].text.contains("src/sum.sh")) << results[0].text;
  EXPECT_TRUE(results[1].text.contains("total - number")) << results[1].text;
  EXPECT_TRUE(results[2].text.contains("5\t  total=$((total - number))")) << results[2].text;
  EXPECT_TRUE(results[3].failed);
  EXPECT_TRUE(results[3].text.contains("FAIL: 1 + 2 + 3 is 6, not -6")) << results[3].text;
  EXPECT_FALSE(results[4].failed) << results[4].text;
  EXPECT_EQ(results[6].text, "PASS");
  EXPECT_FALSE(results[7].failed) << results[7].text;
  EXPECT_TRUE(results[8].failed) << "nobody allowed curl";
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_EQ(summary_of(ran), "the sum is right");
}

TEST(AgentWork, TheLoopOfTheReferenceRepairsAProgram) {
  Stage stage(script());
  make_repository(stage);
  expect_first_worker(run_line(stage, kWorker));
  EXPECT_TRUE(test::text_of(stage.work() / "src/sum.sh").contains("total + number"));
  EXPECT_EQ(test::mode_of(stage.work() / "src/sum.sh"), 0755U);
  EXPECT_EQ(test::text_of(stage.work() / "NOTES.md"), "The sign was wrong.\n");
  run_ok(stage, {"./check.sh"});
  EXPECT_EQ(stage.run(stage.command({"git", "log", "-1", "--format=%s"})).out,
            "Add, do not subtract\n");

  const auto second = run_line(stage, kWorker);
  EXPECT_EQ(summary_of(second), "DONE");
  EXPECT_FALSE(tool_results(second)[0].failed);
  EXPECT_FALSE(tool_results(second)[0].text.contains("sum.sh")) << "all is committed";

  const auto third = run_line(stage, kSummarizer);
  EXPECT_EQ(summary_of(third), "one bug was found and repaired");
  EXPECT_TRUE(tool_results(third)[0].text.contains("The sign was wrong."));

  const auto requests = stage.requests();
  ASSERT_EQ(requests.size(), 14U);
  for (const auto& request : requests) EXPECT_TRUE(request["body"].contains("thinking"));
  EXPECT_TRUE(requests[0]["body"].value("model", "").starts_with("claude-sonnet"));
  EXPECT_TRUE(requests[13]["body"].value("model", "").starts_with("claude-haiku"));
  EXPECT_EQ(requests[13]["body"]["tools"].size(), 4U);
}

TEST(AgentWork, WithoutTheUsersSettingsNothingIsChanged) {
  Stage stage(script());
  make_repository(stage);
  std::filesystem::remove(stage.home() / ".claude/settings.json");
  const auto ran = run_line(stage, kWorker);
  EXPECT_EQ(test::text_of(stage.work() / "src/sum.sh"), kProgram);
  EXPECT_EQ(ran.result()["permission_denials"].size(), 6U) << ran.result();
}

}  // namespace
}  // namespace ralph::agent_process

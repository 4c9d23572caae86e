#include "bench/report/bundle.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/schema/schema.h"
#include "support/temp_folder.h"

namespace ralph::report {
namespace {

using json::Document;
using trial::Execution;
using trial::TrialStatus;

std::vector<schema::Violation> violations(const std::string& text, std::string_view name) {
  const auto document = json::parse(output_schema(name));
  auto compiled = schema::Schema::compile(*document);
  EXPECT_TRUE(compiled);
  return compiled->validate(*json::parse(text));
}

Execution some_execution(TrialStatus status) {
  Execution run;
  run.type = "claude-code";
  run.product = "Claude Code";
  run.provider = "Anthropic";
  run.version = "2.1.325";
  run.model = "claude-opus-5-5";
  run.started = UtcTime(Millis{1'763'450'000'000});
  run.completed = run.started + Millis{1500};
  run.duration = Millis{1500};
  run.status = status;
  run.outcome = "ok";
  run.usage = {.input_uncached = 10, .cache_read = 4000, .cache_write = 760, .output = 82};
  run.cost_usd = 0.00934;
  run.messages = {{trial::Message::Role::user, "do it", run.started},
                  {trial::Message::Role::assistant,
                   "I \"do\"",
                   run.started,
                   {{"t1", "Bash", R"({"command":"ls"})"}}},
                  {trial::Message::Role::tool, "a.txt", run.started, {}, "t1"}};
  return run;
}

// FR-012: "System MUST generate YouBenchaLog conforming to youbenchalog.schema.ts".
// SC-003: "Adapter generates valid youbencha-log.json files that pass schema validation for all executions (success, failure,
// timeout)". 4.9: "`youbencha-log.json` valid against its schema in every case".
TEST(BundleLog, IsValidWhateverTheStatus) {
  for (const auto status :
       {TrialStatus::success, TrialStatus::failed, TrialStatus::timeout, TrialStatus::cancelled}) {
    auto run = some_execution(status);
    run.errors.push_back({"Execution timed out after 1500ms", run.completed});
    EXPECT_TRUE(violations(log_json(run, {"1.0", "/work"}), "log").empty()) << to_string(status);
  }
  EXPECT_TRUE(violations(log_json({}, {}), "log").empty());
  EXPECT_TRUE(violations(manual_log_json(UtcTime{}, UtcTime{}, {}), "log").empty());
}

// FR-013: "extract and normalize execution metadata (start time, end time, duration)"; FR-014: "detect Claude Code version";
// FR-015, SC-007: the model; US4-3: "usage metrics are captured in the log".
TEST(BundleLog, SaysWhatTheAgentReported) {
  const auto log = *json::parse(log_json(some_execution(TrialStatus::success), {"1.0", "/work"}));
  EXPECT_EQ(log["agent"]["version"], "2.1.325");
  EXPECT_EQ(log["model"]["name"], "claude-opus-5-5");
  EXPECT_EQ(log["execution"]["started_at"], "2025-11-18T07:13:20.000Z");
  EXPECT_EQ(log["execution"]["duration_ms"], 1500);
  EXPECT_EQ(log["usage"]["prompt_tokens"], 4770);
  EXPECT_EQ(log["usage"]["completion_tokens"], 82);
  EXPECT_EQ(log["usage"]["estimated_cost_usd"], 0.00934);
  EXPECT_EQ(log["usage"]["x_cache_read_tokens"], 4000);
  EXPECT_EQ(log["messages"][1]["tool_calls"][0]["function"]["arguments"], R"({"command":"ls"})");
  EXPECT_EQ(log["messages"][2]["tool_call_id"], "t1");
}

TEST(BundleResults, HasTheOrderOfTheFormatAndNoFinalNewline) {
  test::TempFolder folder;
  folder.write("b.patch", "x");
  folder.write("youbencha.log.json", "{}");
  folder.write(".ralph/lock", "");
  folder.write("logs/a.log", "x");
  const auto run = some_execution(TrialStatus::cancelled);
  Bundle bundle;
  bundle.name = "n";
  bundle.branch = "unknown";
  bundle.execution = &run;
  bundle.artifacts = folder.path();
  bundle.grades = {
      {.grader = "git-diff", .status = grade::GradeStatus::passed, .message = "✓"},
      {.grader = "x", .status = grade::GradeStatus::skipped, .error = "Evaluator 'x' not found"}};
  const auto text = results_json(bundle, {"1.0", "/work"});
  EXPECT_TRUE(violations(text, "results").empty());
  EXPECT_FALSE(text.ends_with('\n'));
  EXPECT_TRUE(
      text.starts_with("{\n  \"version\": \"1.0.0\",\n  \"test_case\": {\n    \"name\": \"n\","));
  const auto results = *json::parse(text);
  std::vector<std::string> keys;
  for (const auto& item : results.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"version", "test_case", "execution", "agent",
                                            "evaluators", "summary", "artifacts"}));
  EXPECT_EQ(results["agent"]["status"], "failed");
  EXPECT_EQ(results["agent"]["x_ralph"]["status"], "cancelled");
  EXPECT_EQ(results["summary"]["overall_status"], "partial");
  EXPECT_EQ(results["artifacts"]["evaluator_artifacts"], (Document{"b.patch", "logs/a.log"}));
  ASSERT_TRUE(write_results(folder.path(), text, Masker()));
  const auto read = read_results(folder / "results.json");
  ASSERT_TRUE(read);
  EXPECT_TRUE(markdown(*read).contains("| Cost (USD) | 0.00934 |"));
}

TEST(BundleResults, AFileThatIsNoneIsNamed) {
  test::TempFolder folder;
  const auto read = read_results(folder.write("results.json", R"({"version":"1.0.0"})"));
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.contains("is not a results file")) << read.error().message;
}

TEST(BundleResults, SecretsAreMasked) {
  test::TempFolder folder;
  auto run = some_execution(TrialStatus::success);
  run.messages[0].content = "key sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz";
  ASSERT_TRUE(write_log(folder.path(), log_json(run, {}), Masker()));
  EXPECT_FALSE(test::text_of(folder / "youbencha.log.json").contains("0123456789abcdef"));
  EXPECT_EQ(test::text_of(folder / "youbencha-log.json"),
            test::text_of(folder / "youbencha.log.json"));
}

}  // namespace
}  // namespace ralph::report

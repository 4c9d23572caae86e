// The files of real trials of `ralph bench`, checked with our own schema validator.
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/report/bundle.h"
#include "core/base/file.h"
#include "core/json/document.h"
#include "core/schema/schema.h"
#include "support/temp_folder.h"

namespace ralph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInit =
    R"(line {"type":"system","subtype":"init","session_id":"s-1","model":"claude-sonnet-5-5","claude_code_version":"2.1.325"}
line {"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"Hello."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":10,"output_tokens":5}}}
line {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
)";
constexpr std::string_view kResult =
    R"(line {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s-1","num_turns":2,"total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5}}
)";

/// `ralph bench run` of a scripted agent.
class BenchEnds : public testing::Test {
 protected:
  void SetUp() override {
    shell(
        "git init -q origin && cd origin && echo one >a && git add a && "
        "git -c user.name=T -c user.email=t@example.org commit -qm one");
    fs::create_directories(folder_ / "bin");
    fs::create_symlink(RALPH_BUILD "/fake_agent", folder_ / "bin/claude");
    folder_.write("case.yaml",
                  "name: n\ndescription: d\nrepo: origin\nworkspace_dir: runs\ntimeout: 1500\n"
                  "agent: {type: claude-code, config: {prompt: do it}}\n"
                  "evaluators: [{name: git-diff}, {name: budget, config: {max_turns: 9}}]\n");
  }
  int shell(const std::string& line) {
    return std::system(fmt::format("cd '{}' && {}", folder_.path().native(), line).c_str());
  }
  std::string command() const {
    return fmt::format(
        "env PATH='{0}/bin':$PATH HOME='{0}' IS_SANDBOX=1 ANTHROPIC_API_KEY=test-key "
        "RALPH_FAKE_SCRIPT='{0}/agent' '" RALPH_BUILD
        "/ralph' bench run -q -c case.yaml --allow-local >out 2>&1",
        folder_.path().native());
  }
  fs::path artifacts() const {
    return fs::directory_iterator(folder_ / "runs")->path() / "artifacts";
  }

  /// Reads a file of the trial; every violation of its schema is a failure of the test.
  json::Document read(std::string_view name, std::string_view schema_name) const {
    const auto text = read_file(artifacts() / name, std::size_t{1} << 20);
    EXPECT_TRUE(text) << name;
    auto document = json::parse(text.value_or("{}")).value_or(json::Document());
    const auto schema = schema::Schema::compile(*json::parse(report::output_schema(schema_name)));
    EXPECT_TRUE(schema);
    for (const auto& violation : schema->validate(document)) {
      ADD_FAILURE() << name << " " << violation.pointer << " " << violation.message;
    }
    return document;
  }
  /// What the log says of the end.
  std::string status() const {
    const auto log = read(report::kLogName, "log");
    const auto results = read(report::kResultsName, "results");
    EXPECT_EQ(results["agent"]["status"], log["execution"]["status"]);
    EXPECT_EQ(results["agent"]["exit_code"], log["execution"]["exit_code"]);
    EXPECT_EQ(results["summary"]["total_evaluators"], 2);
    return fmt::format("{} {} {}", log["execution"]["status"].get<std::string>(),
                       log["x_ralph"]["status"].get<std::string>(),
                       log["execution"]["exit_code"].get<int>());
  }
  std::string status_of(std::string_view script) {
    folder_.write("agent", script);
    fs::remove_all(folder_ / "runs");
    shell(command());
    return status();
  }

  test::TempFolder folder_;
};

// SC-003: "Adapter generates valid youbencha-log.json files that pass schema validation for all executions (success, failure,
// timeout)"; 4.9: "`youbencha-log.json` valid against its schema in every case".
TEST_F(BenchEnds, ASuccessHasValidFiles) {
  EXPECT_EQ(status_of(std::string(kInit) + std::string(kResult)), "success success 0");
  const auto log = read(report::kLogName, "log");
  EXPECT_EQ(log["usage"]["prompt_tokens"], 10);
  EXPECT_EQ(log["messages"][2]["tool_calls"][0]["function"]["name"], "Bash");
}

TEST_F(BenchEnds, AFailureHasValidFiles) {
  EXPECT_EQ(status_of(std::string(kInit) + "stderr it broke\nexit 3\n"), "failed failed 3");
  EXPECT_EQ(status_of("exit 1\n"), "failed failed 1");
  EXPECT_EQ(status_of("bad-utf8\nnul\nsurrogate\nlongline 100000\nexit 1\n"), "failed failed 1");
}

TEST_F(BenchEnds, ACrashHasValidFiles) {
  EXPECT_EQ(status_of(std::string(kInit) + "signal 11\n"), "failed failed 139");
}

TEST_F(BenchEnds, ATimeoutHasValidFiles) {
  EXPECT_EQ(status_of(std::string(kInit) + "ignore-term\ngrandchild-holds-stdout\ndaemon\nhang\n"),
            "timeout timeout 137");
}

TEST_F(BenchEnds, ACancelledTrialHasValidFiles) {
  folder_.write("agent",
                fmt::format("{}notify {}/started\nhang\n", kInit, folder_.path().native()));
  shell(fmt::format(
      "{{ {} & }}; run=$!; while kill -0 $run && [ ! -e started ]; do sleep 0.02; done; "
      "kill -TERM $run; wait $run",
      command().replace(0, 4, "exec env ")));
  EXPECT_TRUE(status().starts_with("failed cancelled "));
}

}  // namespace
}  // namespace ralph

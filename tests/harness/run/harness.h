#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/config/load.h"
#include "core/model/model.h"
#include "harness/run/run.h"
#include "support/collect.h"
#include "support/fixtures.h"
#include "system/process/harness.h"

/// What the tests of this module share: a workspace, a scripted agent installed as `claude`, and whole runs with
/// what they showed and left.
namespace ralph::run {

using process::TempFolder;

/// The lines of a turn as Claude Code prints them.
inline std::string init_line(std::string_view session = "session-1", std::string_view cwd = "") {
  return "line {\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"" + std::string(session) +
         "\",\"model\":\"claude-sonnet-5-5\",\"claude_code_version\":\"2.1.325\",\"tools\":["
         "\"Read\"]" +
         (cwd.empty() ? "" : ",\"cwd\":\"" + std::string(cwd) + "\"") + "}\n";
}
inline std::string text_line(std::string_view text) {
  return R"(line {"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":")" +
         std::string(text) + "\"}]}}\n";
}
inline std::string tool_line(std::string_view id, std::string_view command = "make") {
  return R"(line {"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":")" +
         std::string(id) + R"(","name":"Bash","input":{"command":")" + std::string(command) +
         "\"}}]}}\n";
}
inline std::string tool_result_line(std::string_view id) {
  return R"(line {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":")" +
         std::string(id) +
         R"(","content":"done"}]}})"
         "\n";
}
inline std::string result_line(std::string_view text = "All done.",
                               std::string_view session = "session-1") {
  return R"(line {"type":"result","subtype":"success","is_error":false,"result":")" +
         std::string(text) + R"(","session_id":")" + std::string(session) +
         R"(","num_turns":1,"duration_ms":5,"total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5}})"
         "\n";
}
inline std::string good_turn(std::string_view text = "All done.",
                             std::string_view session = "session-1") {
  return init_line(session) + text_line(text) + result_line(text, session);
}

/// One run, finished.
struct Ran {
  Report report;
  std::vector<std::string> events;  // in their JSON form
  stream::Summary summary{model::Table::builtin()};

  std::string result() const { return events.empty() ? "" : events.back(); }
  bool has(std::string_view part) const {
    return std::ranges::any_of(events, [&](const auto& event) { return event.contains(part); });
  }
  std::string outcome() const { return std::string(stream::row(report.verdict.outcome).name); }
};

/// A workspace with an agent.
class Bench {
 public:
  Bench() {
    std::filesystem::create_directories(workspace());
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_directories(folder_ / "home");
    std::filesystem::create_symlink(process::fake_agent(), folder_ / "bin" / "claude");
  }

  std::filesystem::path workspace() const { return folder_ / "workspace"; }
  std::filesystem::path in_workspace(std::string_view path) const { return workspace() / path; }
  const TempFolder& folder() const { return folder_; }

  /// What the agent does; "DIR/" is this bench's folder.
  void script(std::string text) {
    for (std::size_t at = 0; (at = text.find("DIR/", at)) != std::string::npos;) {
      text.replace(at, 4, folder_.path().string() + "/");
    }
    folder_.write("script", text);
  }
  void flag(config::Key key, std::vector<std::string> values = {}) {
    flags_.push_back({key, std::move(values)});
  }
  void variable(std::string entry) { variables_.push_back(std::move(entry)); }
  Invocation invocation;

  Result<Request> request() {
    auto flags = flags_;
    flags.push_back({config::Key::cwd, {workspace().string()}});
    flags.push_back({config::Key::retry_delay, {"1ms"}});
    TRY_ASSIGN(const auto loaded, config::load({workspace(), {}, {}, flags}));
    invocation.run_id = make_run_id();
    invocation.environment = variables_;
    for (const std::string& entry :
         {"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin",
          "HOME=" + (folder_ / "home").string(), std::string("IS_SANDBOX=1")}) {
      invocation.environment.push_back(entry);
    }
    TRY_ASSIGN(auto made,
               make_request(loaded.settings, invocation, Masker(invocation.environment)));
    // The agent inherits the test's own environment: what it shall see instead is put on top.
    made.host.own_env.push_back({"PATH", (folder_ / "bin").string() + ":/usr/bin:/bin"});
    made.host.own_env.push_back({"RALPH_FAKE_SCRIPT", (folder_ / "script").string()});
    made.host.own_env.push_back({"RALPH_TEST_MARK", mark_});
    return made;
  }

  Ran run(std::string prompt = "Do it.") {
    flag(config::Key::prompt, {std::move(prompt)});
    auto made = request();
    EXPECT_TRUE(made) << describe(made.error());
    flags_.pop_back();
    return run_request(*std::move(made));
  }

  Ran run_request(Request made) {
    Ran ran;
    test::Collector collector;
    const RunObservers observers{ran.summary, {&collector}, [] {}, [](Millis) {}};
    const Masker masker;
    ran.report = run::run(std::move(made), observers, control, masker);
    ran.events = std::move(collector.events);
    EXPECT_TRUE(process::alive_with_mark(mark_).empty());
    return ran;
  }

  std::string journal(const Ran& ran) const { return read_file(ran.report.journal).value_or(""); }
  Control control;

 private:
  TempFolder folder_;
  std::string mark_ = random_hex(8);
  std::vector<config::FlagValue> flags_;
  std::vector<std::string> variables_;
};

}  // namespace ralph::run

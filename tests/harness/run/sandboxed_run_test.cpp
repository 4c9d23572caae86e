#include <thread>

#include "harness/run/harness.h"
#include "harness/run/sandbox.h"

namespace ralph::run {
namespace {

using config::Key;

/// The sandbox hides what is not in the workspace: the agent's script has to be there.
class SandboxedRun : public testing::Test {
 protected:
  void SetUp() override {
    bench.flag(Key::sandbox);
    bench.flag(Key::prompt, {"x"});
    auto made = bench.request();
    ASSERT_TRUE(made) << describe(made.error());
    if (const auto works = check_sandbox(made->host); !works)
      GTEST_SKIP() << describe(works.error());
    request = *std::move(made);
    for (auto& change : request.host.own_env) {
      if (change.name == "RALPH_FAKE_SCRIPT")
        change.value = (bench.workspace() / "script").string();
    }
  }
  Ran run(const std::string& script) {
    bench.script(script);
    std::filesystem::copy_file(bench.folder() / "script", bench.workspace() / "script");
    return bench.run_request(request);
  }

  Bench bench;
  Request request;
};

TEST_F(SandboxedRun, TheAgentIsConfinedAndKnowsIt) {
  const auto ran = run("print-env IS_SANDBOX\nnotify DIR/outside\nnotify inside\n" + good_turn());
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_TRUE(read_file(ran.report.raw_log)->contains("IS_SANDBOX=1"));
  EXPECT_TRUE(std::filesystem::exists(bench.in_workspace("inside")));
  EXPECT_FALSE(std::filesystem::exists(bench.folder() / "outside"));
  EXPECT_FALSE(ran.has("permissions are skipped")) << "no warning in a sandbox";
}

TEST_F(SandboxedRun, ARequestToStopReachesTheAgentInside) {
  const std::jthread other([&] {
    EXPECT_TRUE(
        process::eventually([&] { return std::filesystem::exists(bench.in_workspace("up")); }));
    EXPECT_TRUE(bench.control.ask(SIGINT));
  });
  const auto ran = run(
      R"(on-int {"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"session-1"}\n)"
      "\n" +
      init_line() + "notify up\nhang\n");
  EXPECT_EQ(ran.report.verdict.exit_code(), 130);
  EXPECT_EQ(ran.summary.result_count, 1) << "its last words were heard";
}

}  // namespace
}  // namespace ralph::run

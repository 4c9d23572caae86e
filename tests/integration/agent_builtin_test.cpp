// `ralph run -b builtin`: the harness drives our own agent as it drives every other one.
#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

struct BuiltinCase {
  std::string_view name, scenario;
  std::vector<std::string> words;
  int code;
  std::string_view outcome;
};

/// The result, with nothing skipped and nothing unknown on the way.
Document result_of(const Ran& ran) {
  for (const auto& event : ran.events()) EXPECT_NE(event.value("type", ""), "unknown") << event;
  const auto result = ran.result();
  EXPECT_EQ(result.value("skipped_lines", -1), 0) << ran.out;
  return result;
}

process::Command run_builtin(const Stage& stage, std::vector<std::string> more) {
  std::vector<std::string> argv{ralph(), "run", "--json", "-b", "builtin", "-p", "Do it."};
  argv.insert(argv.end(), more.begin(), more.end());
  return stage.command(std::move(argv));
}

TEST(BuiltinAgent, EndsAsTheRealOneDoes) {
  const std::vector<BuiltinCase> cases{
      {"answer", R"({"steps":[{"text":"Done."}]})", {}, 0, "ok"},
      {"overload once",
       R"({"steps":[{"error":{"status":529,"headers":{"retry-after":"0"}}},{"text":"Done."}]})",
       {},
       0,
       "ok"},
      {"wrong key", R"({"steps":[{"error":401}]})", {"--retries", "0"}, 3, "auth_failed"},
      {"bad request", R"({"steps":[{"error":400}]})", {"--retries", "0"}, 1, "agent_error"},
      {"out of quota",
       R"({"steps":[{"error":{"status":429,"headers":{"x-should-retry":"false"}}}]})",
       {"--retries", "0"},
       5,
       "rate_limited"},
      {"silence",
       R"({"steps":[{"text":"Hel","trouble":{"at":"in_block","do":"silence"}}]})",
       {"--timeout", "1s", "--retries", "0"},
       7,
       "timed_out"},
  };
  for (const auto& [name, scenario, words, code, outcome] : cases) {
    SCOPED_TRACE(name);
    Stage stage(scenario);
    const auto ran = stage.run(run_builtin(stage, words));
    EXPECT_EQ(ran.code(), code) << ran.err << ran.out;
    const auto result = result_of(ran);
    EXPECT_EQ(result.value("outcome", ""), outcome) << ran.out;
    EXPECT_EQ(result.value("session_id", "").size(), 36U);
    EXPECT_EQ(result.value("cost_usd", 0.0) > 0, code == 0) << ran.out;
  }
}

TEST(BuiltinAgent, TheNextRunGoesOnWithTheSession) {
  Stage stage(R"({"steps":[{"text":"One."},{"text":"Two."}]})");
  auto first = result_of(stage.run(run_builtin(stage, {})));
  auto second = result_of(stage.run(run_builtin(stage, {"--continue"})));
  EXPECT_EQ(second.value("text", ""), "Two.");
  EXPECT_EQ(second["session_id"], first["session_id"]);
  EXPECT_LT(second.value("cost_usd", 1.0), first.value("cost_usd", 0.0) * 2)
      << "the cost of the run, not of the session";
  auto requests = stage.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_TRUE(json::write(requests[1]["body"]["messages"]).contains("One."));
}

TEST(BuiltinAgent, CtrlCEndsBoth) {
  Stage stage(R"({"steps":[{"text":"Hel","trouble":{"at":"in_block","do":"silence"}}]})");
  bool sent = false;
  const auto ran = stage.run(run_builtin(stage, {}), [&](std::string_view so_far, auto& watch) {
    if (!so_far.contains("session_started") || std::exchange(sent, true)) return;
    watch.send_signal(SIGINT);
  });
  EXPECT_EQ(ran.code(), 130) << ran.err;
  const auto result = result_of(ran);
  EXPECT_EQ(result.value("outcome", ""), "cancelled") << ran.out;
  EXPECT_EQ(result.value("session_id", "").size(), 36U);
}

}  // namespace
}  // namespace ralph::agent_process

#include "harness/stream/summary.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/base/utf8.h"
#include "harness/stream/judge.h"

namespace ralph::stream {
namespace {

TEST(Summary, KnowsWhoSpokeAndWhatWasSaid) {
  const auto summary = summary_of_fixture("text_turn");
  EXPECT_EQ(summary.session_id, "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(summary.model, "claude-opus-5-5");
  EXPECT_EQ(summary.agent_version, "2.1.325");
  EXPECT_EQ(summary.text, "Hello from the fake.");
  EXPECT_EQ(summary.streamed_text, "Hello from the fake.");
  EXPECT_EQ(summary.turns, 1);
  EXPECT_EQ(summary.duration_ms, 375);
  EXPECT_FALSE(summary.turn_open());
}

TEST(Summary, CountsWhatTheResultReportsNotTheStubs) {
  const auto summary = summary_of_fixture("text_turn");
  EXPECT_EQ(summary.usage(), (Tokens{10, 0, 0, 5, 0}));
  EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 0.00014);
  EXPECT_EQ(summary.cost_source(), CostSource::agent);
}

TEST(Summary, AddsSeveralResultsOfOneRun) {
  const auto summary = summary_of_fixture("tool_bash_background");
  EXPECT_EQ(summary.result_count, 2);
  ASSERT_EQ(summary.results.size(), 2u);
  EXPECT_EQ(summary.results[1].origin, "task-notification");
  EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 0.00042);
  EXPECT_EQ(summary.usage().input_uncached, 30);
}

TEST(Summary, ARunThatEndsInTheMiddleIsPricedFromItsRequests) {
  const auto bytes = test::fixture("claude/text_turn_partial.ndjson");
  const auto cut = bytes.find("\"type\":\"message_stop\"");
  const auto summary = summary_of(bytes.substr(0, bytes.rfind('\n', cut) + 1));
  EXPECT_EQ(summary.result_count, 0);
  EXPECT_TRUE(summary.turn_open());
  EXPECT_EQ(summary.usage(), (Tokens{10, 0, 0, 5, 0}));
  EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 10 * 4e-6 + 5 * 20e-6);
  EXPECT_EQ(summary.cost_source(), CostSource::price_table);
}

TEST(Summary, ContextPercentageUsesTheAgentsLastRequestAndItsWindow) {
  const std::string init =
      R"({"type":"system","subtype":"init","session_id":"s","model":"claude-haiku-4-5"})"
      "\n";
  const std::string said =
      R"({"type":"assistant","message":{"id":"m1","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":10000,"cache_read_input_tokens":60000,"cache_creation_input_tokens":30000,"output_tokens":1}}})"
      "\n";
  EXPECT_EQ(summary_of(init + said).context_percent(), 50);
  const std::string of_subagent =
      R"({"type":"assistant","parent_tool_use_id":"t","message":{"id":"m2","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":1,"output_tokens":1}}})"
      "\n";
  EXPECT_EQ(summary_of(init + said + of_subagent).context_percent(), 50);
  const std::string result =
      R"({"type":"result","is_error":false,"result":"x","num_turns":1,"model_usage_since_last_result":{"claude-haiku-4-5":{"inputTokens":1,"contextWindow":1000000}}})"
      "\n";
  EXPECT_EQ(summary_of(init + said + result).context_percent(), 10);
  EXPECT_EQ(summary_of(init).context_percent(), std::nullopt);
}

TEST(Summary, DenialsAreListedOnceWithTheirInput) {
  const auto summary = summary_of_fixture("permission_denied");
  ASSERT_FALSE(summary.denials.empty());
  EXPECT_EQ(summary.denials[0].tool, "Write");
  EXPECT_TRUE(summary.denials[0].input.starts_with("{\"")) << summary.denials[0].input;
  for (std::size_t i = 0; i < summary.denials.size(); ++i) {
    for (std::size_t j = i + 1; j < summary.denials.size(); ++j) {
      EXPECT_NE(summary.denials[i].call_id, summary.denials[j].call_id);
    }
  }
}

TEST(Summary, RemembersBackgroundTasks) {
  const std::string two =
      R"({"type":"system","subtype":"background_tasks_changed","tasks":[{},{}]})"
      "\n";
  const std::string none = R"({"type":"system","subtype":"background_tasks_changed","tasks":[]})"
                           "\n";
  EXPECT_EQ(summary_of(two).background_tasks, 2);
  EXPECT_EQ(summary_of(two + none).background_tasks, 0);
}

TEST(Summary, ALaterSuccessForgetsAnEarlierError) {
  EXPECT_TRUE(summary_of_fixture("error_400").error.has_value());
  EXPECT_FALSE(summary_of_fixture("error_429_then_ok").error.has_value());
}

TEST(Summary, ItsMemoryIsBounded) {
  std::string line = R"({"type":"assistant","message":{"content":[{"type":"text","text":")" +
                     std::string(100'000, 'a') + "€\"}]}}\n";
  Summary summary(model::Table::builtin());
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  for (int i = 0; i < 100; ++i) decoder.feed(line, 0);
  EXPECT_LE(summary.streamed_text.size(), 2 * kKeptText);
  EXPECT_TRUE(summary.streamed_text.ends_with("€"));
  for (int i = 0; i < 1000; ++i) {
    decoder.feed("{\"type\":\"result\",\"is_error\":false,\"result\":\"r\"}\n", 0);
  }
  EXPECT_EQ(summary.results.size(), Summary::kKeptTurns);
  EXPECT_EQ(summary.result_count, 1000);
}

const std::string kInit =
    R"({"type":"system","subtype":"init","session_id":"s","model":"claude-opus-5-5"})"
    "\n";

TEST(Summary, ARetryThatSucceededIsForgotten) {
  const std::string retry =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"rate_limit","error_status":429})"
      "\n";
  const std::string said =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"on"}]}})"
      "\n";
  const std::string call =
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}})"
      "\n";
  EXPECT_TRUE(summary_of(kInit + retry).error.has_value());
  EXPECT_FALSE(summary_of(kInit + retry + said).error.has_value());
  EXPECT_FALSE(summary_of(kInit + retry + call).error.has_value());
}

TEST(Summary, AnEndpointThatWasNeverReachedCostsNothing) {
  const std::string unreachable =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"unknown","error_status":null})"
      "\n";
  const std::string overloaded =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"overloaded","error_status":529})"
      "\n";
  EXPECT_EQ(summary_of(kInit + unreachable).cost_usd(), 0.0);
  EXPECT_EQ(summary_of(kInit).cost_usd(), std::nullopt);
  EXPECT_EQ(summary_of(kInit + overloaded).cost_usd(), std::nullopt);
}

TEST(Summary, ATurnTheAgentBeganItselfKeepsTheAnswer) {
  const std::string answer =
      R"({"type":"result","is_error":false,"result":"answer","num_turns":1,"structured_output":{"summary":"DONE"}})"
      "\n";
  const std::string note =
      R"({"type":"result","is_error":false,"result":"noted","num_turns":1,"origin":{"kind":"task-notification"}})"
      "\n";
  const std::string asked = R"({"type":"result","is_error":false,"result":"next","num_turns":1})"
                            "\n";
  EXPECT_EQ(summary_of(answer + note).structured, R"({"summary":"DONE"})");
  EXPECT_EQ(summary_of(answer + note).text, "noted");
  EXPECT_EQ(summary_of(answer + asked).structured, "");
  EXPECT_EQ(summary_of(answer + asked).text, "next");
}

TEST(Summary, TheLastTurnIsWhatItsModelsUsed) {
  const auto summary = summary_of_fixture("limit_budget");
  EXPECT_EQ(summary.last_turn_usage().input_uncached, 100000);
  EXPECT_EQ(summary.last_turn_usage().output, 10000);
}

TEST(Summary, EveryRequestOfALongTurnCounts) {
  std::string bytes = kInit;
  for (int i = 0; i < 1500; ++i) {
    bytes +=
        R"({"type":"assistant","message":{"id":"m)" + std::to_string(i) +
        R"(","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}})"
        "\n";
  }
  const auto summary = summary_of(bytes);
  EXPECT_EQ(summary.usage(), (Tokens{1'500'000, 0, 0, 1500, 0}));
  EXPECT_NEAR(summary.cost_usd().value(), 1.5 * 4 + 0.0015 * 20, 1e-9);
}

TEST(Summary, TheWindowIsThatOfTheAgentsOwnModel) {
  const std::string said =
      R"({"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":100000,"output_tokens":1}}})"
      "\n";
  const std::string result =
      R"({"type":"result","is_error":false,"result":"x","num_turns":1,"model_usage_since_last_result":{)"
      R"("claude-opus-5-5":{"contextWindow":1000000},"claude-haiku-4-5":{"contextWindow":200000}}})"
      "\n";
  EXPECT_EQ(summary_of(kInit + said + result).context_percent(), 10);
}

TEST(Summary, ASubagentsTextIsNotTheAgents) {
  const std::string said =
      R"({"type":"assistant","parent_tool_use_id":"t","message":{"content":[{"type":"text","text":"sub"}]}})"
      "\n";
  EXPECT_EQ(summary_of(kInit + said).streamed_text, "");
}

TEST(Summary, ALongTextIsCutBetweenCharacters) {
  std::string euros;
  for (int i = 0; i < 40'001; ++i) euros += "€";
  const auto line =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"x)" + euros + "\"}]}}\n";
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += line;
  const auto kept = summary_of(bytes).streamed_text;
  EXPECT_TRUE(utf8::valid(kept));
}

TEST(Summary, DenialsBeyondTheKeptOnesAreCounted) {
  std::string bytes;
  for (int i = 0; i < 1200; ++i) {
    bytes +=
        R"({"type":"system","subtype":"permission_denied","tool_name":"Bash","message":"no","tool_use_id":"t)" +
        std::to_string(i) + "\"}\n";
  }
  const auto summary = summary_of(bytes);
  EXPECT_EQ(summary.denial_count, 1200);
  EXPECT_LE(summary.denials.size(), 1000u);
}

TEST(Summary, AResultsStatusBecomesTheClassOfItsError) {
  const std::pair<int, ErrorClass> expected[] = {
      {401, ErrorClass::auth},       {403, ErrorClass::auth},
      {429, ErrorClass::rate_limit}, {500, ErrorClass::overloaded},
      {529, ErrorClass::overloaded}, {408, ErrorClass::network},
      {409, ErrorClass::network},    {404, ErrorClass::invalid_request}};
  for (const auto& [status, error_class] : expected) {
    const auto summary = summary_of(
        R"({"type":"result","is_error":true,"result":"no","num_turns":1,"api_error_status":)" +
        std::to_string(status) + "}\n");
    ASSERT_TRUE(summary.error.has_value());
    EXPECT_EQ(summary.error->error_class, error_class) << status;
    EXPECT_EQ(summary.error->http_status, status);
    EXPECT_EQ(summary.error->message, "no");
  }
}

TEST(Summary, OnlyTheAgentsEventsCount) {
  Summary summary(model::Table::builtin());
  const auto tell = [&](std::int64_t line, const Payload& what) {
    dispatch(Event{1, 0, "claude", "run", line, {}, what}, summary);
  };
  tell(-1, Notice{Level::warning, "run", "a notice of the harness", {}});
  EXPECT_FALSE(summary.any_event());
  tell(1, Notice{Level::debug, "status", "a notice of the agent", {}});
  EXPECT_TRUE(summary.any_event());
}

TEST(Summary, TheEndOfAPlainProgramIsAnEventOfIt) {
  Summary summary(model::Table::builtin());
  Decoder decoder(make_text_dialect("cat", "Cat"), {&summary}, "run");
  decoder.finish(0, 0);
  EXPECT_TRUE(summary.any_event());
}

/// Straight to the summary, as no decoder would let it through.
void tell(Summary& summary, const Payload& what) {
  dispatch(Event{1, 0, "claude", "run", 1, {}, what}, summary);
}

TEST(Summary, AbsurdCostsAreNotSaid) {
  constexpr auto kInfinite = std::numeric_limits<double>::infinity();
  constexpr auto kNoNumber = std::numeric_limits<double>::quiet_NaN();
  for (const double absurd : {-1.0, 1e7, kInfinite, -kInfinite, kNoNumber}) {
    Summary summary(model::Table::builtin(), absurd);
    TurnEnded ended;
    ended.total_cost_usd = absurd;
    tell(summary, ended);
    EXPECT_EQ(summary.cost_usd(), std::nullopt) << absurd;
    EXPECT_EQ(summary.session_total_usd(), 0) << absurd;
    summary.know_total(absurd);
    EXPECT_EQ(summary.session_total_usd(), 0) << absurd;
    Usage usage{UsageScope::turn, "claude-opus-5-5", {}, {10, 0, 0, 5, 0}, absurd, {}, false};
    tell(summary, usage);
    EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 10 * 4e-6 + 5 * 20e-6) << absurd;
  }
}

TEST(Summary, AbsurdCountsAreCutToWhatCanBe) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  TurnEnded negative;
  negative.turns = negative.duration_ms = -5;
  negative.usage = {-1, -2, -3, -4, -5};
  Summary summary(model::Table::builtin());
  tell(summary, negative);
  EXPECT_EQ(summary.usage(), Tokens{});
  EXPECT_EQ(summary.turns, 0);
  EXPECT_EQ(summary.duration_ms, 0);
  EXPECT_EQ(summary.results.back().turns, 0);

  TurnEnded huge;
  huge.turns = huge.duration_ms = kHuge;
  huge.usage = {kHuge, kHuge, kHuge, kHuge, kHuge};
  tell(summary, huge);
  tell(summary, huge);
  EXPECT_EQ(summary.usage(), (Tokens{kMost, kMost, kMost, kMost, kMost}));
  EXPECT_EQ(summary.turns, kMost);
  EXPECT_EQ(summary.duration_ms, kMost);
  EXPECT_EQ(summary.results.back().duration_ms, kMost);
}

TEST(Summary, AbsurdRequestsHaveNoPriceAndAFullContext) {
  Summary summary(model::Table::builtin());
  SessionStarted started;
  started.model = "claude-opus-5-5";
  tell(summary, started);
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  tell(summary,
       Usage{UsageScope::request, started.model, "m", {kHuge, kHuge, 0, 0, 0}, {}, {}, true});
  EXPECT_EQ(summary.cost_usd(), std::nullopt);
  EXPECT_EQ(summary.context_percent(), 999);
  tell(summary, Usage{UsageScope::session_total, started.model, {}, {}, {}, -1, false});
  EXPECT_EQ(summary.context_percent(), 999);
  tell(summary, Usage{UsageScope::request, started.model, "n", {-9, -9, 0, 0, 0}, {}, {}, true});
  EXPECT_EQ(summary.context_percent(), 999);
}

TEST(Summary, AbsurdNumbersDoNotOverflow) {
  const std::string result =
      R"({"type":"result","is_error":false,"result":"x","num_turns":9e18,"duration_ms":9000000000000000000,)"
      R"("usage":{"input_tokens":9000000000000000000,"cache_read_input_tokens":9000000000000000000}})"
      "\n";
  const auto summary = summary_of(kInit + result + result);
  EXPECT_GT(summary.turns, 0);
  EXPECT_GT(summary.usage().prompt(), 0);
}

}  // namespace
}  // namespace ralph::stream

#include <algorithm>

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kId = "00000000-0000-4000-8000-000000000001";

TEST(EventFields, AnErrorHasTheShapeOfAnAnswerWithoutNumbers) {
  Bench bench(R"({"steps":[{"error":{"status":400,"message":"no"}}]})");
  const auto ran = bench.ask("hi");
  const auto message = ran.of_type("assistant").at(0)["message"];
  for (const auto* key : {"diagnostics", "container", "stop_details"}) {
    ASSERT_TRUE(message.contains(key)) << key;
    EXPECT_TRUE(message[key].is_null()) << key;
  }
  EXPECT_TRUE(message["usage"]["service_tier"].is_null());
  EXPECT_FALSE(ran.result().contains("time_to_request_ms"));
  EXPECT_EQ(ran.result()["subagent_stats"]["spawned"], 0);
}

TEST(EventFields, TheLimitOfAnAnswerIsNamed) {
  Bench bench(R"({"steps":[{"text":"cut","stop_reason":"max_tokens"}]})");
  const auto ran = bench.ask("hi");
  const auto error = ran.of_type("assistant").back();
  EXPECT_EQ(error["api_error_params"]["cut"], "output_limit");
  EXPECT_FALSE(error.contains("request_id"));
  EXPECT_FALSE(ran.result().contains("ttft_ms"));
}

TEST(EventFields, RefusalsAreCounted) {
  Bench bench(R"({"steps":[{"text":"I cannot","stop_reason":"refusal"}]})");
  EXPECT_EQ(bench.ask("hi").result()["safety_stops"], 2);
}

TEST(EventFields, WithoutATurnThereIsNothingToSayAboutIt) {
  Bench bench;
  const auto result = bench.ask("hi", {"--resume", std::string(kId)}).result();
  EXPECT_EQ(result["subtype"], "error_during_execution");
  for (const auto* key : {"fast_mode_state", "safety_stops", "queued_turn_count"}) {
    EXPECT_FALSE(result.contains(key)) << key;
  }
}

TEST(EventFields, ABrokenAnswerIsPaidForToo) {
  Bench bench(R"({"steps":[
      {"text":"partial","usage":{"input_tokens":100,"output_tokens":9},
       "trouble":{"at":"in_block","error":"overloaded_error"}},
      {"text":"recovered","usage":{"input_tokens":100,"output_tokens":9}}]})");
  const auto result = bench.ask("hi").result();
  EXPECT_EQ(result["usage"]["input_tokens"], 200);
  EXPECT_EQ(result["modelUsage"].front()["inputTokens"], 200);
}

TEST(EventFields, AnAnswerInOnePieceHasItsWholeUsage) {
  Bench bench(R"({"steps":[{"text":"x","trouble":{"at":"in_block","error":"overloaded_error"}},
                           {"text":"recovered"}]})");
  const auto answer = bench.ask("hi").of_type("assistant").at(0);
  EXPECT_EQ(answer["message"]["usage"]["service_tier"], "standard");
}

TEST(EventFields, AReplayHasTheOriginalContent) {
  Bench bench;
  bench.say("as a text", kId);
  bench.hang_up();
  const auto ran = bench.converse({"--replay-user-messages"});
  EXPECT_EQ(ran.of_type("user").at(0)["message"]["content"], "as a text");
  EXPECT_EQ(ran.requests.at(0)["messages"].back()["content"].back()["text"], "as a text");
}

TEST(EventFields, AMessageWithAnIdLearnsOfItsFirstRequest) {
  Bench bench(
      R"({"steps":[{"text":"a","usage":{"input_tokens":12,"cache_read_input_tokens":34}}]})");
  bench.say("hi", kId);
  bench.hang_up();
  const auto result = bench.converse().result();
  EXPECT_EQ(result["first_request_input_tokens"], 12);
  EXPECT_EQ(result["first_request_cache_read_input_tokens"], 34);
  EXPECT_GT(result.value("request_sent_wall_ms", std::int64_t{0}), 1'700'000'000'000);

  Bench without;
  EXPECT_FALSE(without.ask("hi").result().contains("first_request_input_tokens"));
}

TEST(EventFields, ThinkingNamesItsDisplay) {
  Bench bench(R"({"steps":[{"thinking":"hm","text":"Yes."}]})");
  const auto ran = bench.ask("hi", {"--include-partial-messages"});
  std::string named;
  for (const auto& part : ran.of_type("stream_event")) {
    if (!part.contains("thinking_display")) continue;
    named += part["event"].value("type", "") + " " +
             part["event"].value(Document::json_pointer("/delta/type"), "") + ",";
  }
  EXPECT_EQ(named, "message_start ,content_block_start ,content_block_delta thinking_delta,");
}

TEST(EventFields, JsonFormatsLeaveTheRecentUsageOut) {
  Bench bench;
  const auto ran = bench.run({"-p", "hi", "--output-format", "json", "--verbose"});
  const auto events = json::parse(ran.out);
  ASSERT_TRUE(events && events->is_array());
  EXPECT_FALSE(events->back().contains("model_usage_since_last_result"));
  EXPECT_EQ(ran.requests.at(0)["thinking"]["display"], "updates");
}

TEST(EventFields, AnInterruptedAnswerIsShownToItsEnd) {
  Bench bench(R"({"steps":[{"text":"word word ","trouble":{"at":"in_block","do":"silence"}}]})");
  bench.when("word word", [](Bench& it) { it.signal(SIGINT); });
  const auto parts = bench.ask("hi", {"--include-partial-messages"}).of_type("stream_event");
  ASSERT_GE(parts.size(), 3U);
  const auto* end = parts.data() + parts.size() - 3;
  EXPECT_EQ(end[0]["event"]["type"], "content_block_stop");
  EXPECT_EQ(end[0]["event"]["index"], 0);
  EXPECT_EQ(end[1]["event"]["type"], "message_delta");
  EXPECT_TRUE(end[1]["event"]["delta"]["stop_reason"].is_null());
  EXPECT_EQ(end[2]["event"]["type"], "message_stop");
  EXPECT_EQ(end[2]["abandoned_blocks"]["from_block_index"], 1);
}

}  // namespace
}  // namespace ralph::wire

#include "mock/scenario.h"

#include <gtest/gtest.h>

namespace ralph::mock {
namespace {

Scenario read(std::string_view text) {
  auto scenario = read_scenario(text, "s.json");
  EXPECT_TRUE(scenario) << describe(scenario.error());
  return scenario.value();
}

Error error_of(std::string_view text) {
  const auto scenario = read_scenario(text, "s.json");
  EXPECT_FALSE(scenario) << text;
  return scenario ? Error{} : scenario.error();
}

TEST(Scenario, ShortKeysKeepTheirOrder) {
  const auto scenario = read(
      R"({"steps":[{"thinking":"hm","text":"a","tool_use":{"name":"Bash","input":{"z":1,"a":2}}}]})");
  const auto& reply = std::get<Reply>(scenario.steps.at(0).action);
  ASSERT_EQ(reply.content.size(), 3u);
  EXPECT_EQ(std::get<ThinkingBlock>(reply.content[0]).thinking, "hm");
  EXPECT_EQ(std::get<TextBlock>(reply.content[1]).text, "a");
  EXPECT_EQ(std::get<ToolUseBlock>(reply.content[2]).input, R"({"z":1,"a":2})");
}

TEST(Scenario, ContentTakesShortBlocksAndTheOnesOfTheApi) {
  const auto scenario = read(R"({"steps":[{"content":[
      {"text":"a"}, {"type":"text","text":"b"}, {"thinking":"t","signature":"s"},
      {"tool_use":{"name":"A"}}, {"type":"tool_use","id":"x","name":"B","input":{}},
      {"type":"redacted_thinking","data":"abc"}]}]})");
  const auto& content = std::get<Reply>(scenario.steps.at(0).action).content;
  ASSERT_EQ(content.size(), 6u);
  EXPECT_EQ(std::get<TextBlock>(content[1]).text, "b");
  EXPECT_EQ(std::get<ThinkingBlock>(content[2]).signature, "s");
  EXPECT_EQ(std::get<ToolUseBlock>(content[4]).id, "x");
  EXPECT_EQ(std::get<VerbatimBlock>(content[5]).json,
            R"({"type":"redacted_thinking","data":"abc"})");
}

TEST(Scenario, ReadsEveryKeyOfAStep) {
  const auto scenario =
      read(R"({"then":"start_again","steps":[{"text":"a","stop_reason":"max_tokens",
      "model":"m","usage":{"input_tokens":1,"output_tokens":2,"cache_creation_input_tokens":3,
      "cache_read_input_tokens":4},"delay_ms":5,"chunk_delay_ms":6,"chunk_size":7,
      "match":{"contains":"x","model":"haiku"}}]})");
  EXPECT_EQ(scenario.then, Then::start_again);
  const auto& step = scenario.steps.at(0);
  const auto& reply = std::get<Reply>(step.action);
  EXPECT_EQ(reply.stop_reason, "max_tokens");
  EXPECT_EQ(reply.model, "m");
  EXPECT_EQ(reply.usage.input_tokens, 1);
  EXPECT_EQ(reply.usage.output_tokens, 2);
  EXPECT_EQ(reply.usage.others, R"({"cache_creation_input_tokens":3,"cache_read_input_tokens":4})");
  EXPECT_EQ(step.delay, Millis{5});
  EXPECT_EQ(reply.chunk_delay, Millis{6});
  EXPECT_EQ(reply.chunk_size, 7u);
  EXPECT_EQ(step.match->contains, "x");
  EXPECT_EQ(step.match->model, "haiku");
}

TEST(Scenario, AnErrorKnowsWhatTheApiWouldSay) {
  const auto scenario = read(R"({"steps":[{"error":529},{"error":{"type":"rate_limit_error"}},
      {"error":{"status":418,"message":"tea","headers":{"retry-after":"2","x-n":3}}}]})");
  const auto& first = std::get<Failure>(scenario.steps.at(0).action);
  EXPECT_EQ(first.type, "overloaded_error");
  EXPECT_EQ(first.message, "mock overloaded_error");
  EXPECT_EQ(std::get<Failure>(scenario.steps.at(1).action).status, 429);
  const auto& third = std::get<Failure>(scenario.steps.at(2).action);
  EXPECT_EQ(third.type, "invalid_request_error");
  EXPECT_EQ(third.headers.find("retry-after"), "2");
  EXPECT_EQ(third.headers.find("x-n"), "3");
}

struct Mistake {
  std::string_view text;
  std::string_view message;
};

TEST(Scenario, MistakesNameThePlaceAndTheRemedy) {
  const Mistake mistakes[] = {
      {R"({"steps":[{"text":"a"},{"txt":"b"}]})",
       "s.json: step 2 (/steps/1) has an unknown key 'txt'; did you mean 'text'?"},
      {R"({"step":[]})", "s.json: the scenario has an unknown key 'step'; did you mean 'steps'?"},
      {R"({"steps":[]})", "s.json: the scenario has no steps"},
      {R"({"steps":{}})", "s.json: 'steps' is an object; it must be an array of steps"},
      {R"([])", "s.json: the scenario is an array; it must be an object"},
      {R"({"steps":[{"text":7}]})", "s.json: step 1 (/steps/0/text) is 7; it must be a string"},
      {R"({"steps":[{}]})", "s.json: step 1 (/steps/0) is empty"},
      {R"({"steps":[{"text":"a","error":500}]})",
       "s.json: step 1 (/steps/0) has both an 'error' and a message"},
      {R"({"steps":[{"text":"a","delay_ms":-1}]})",
       "s.json: step 1 (/steps/0/delay_ms) is -1; it must be a whole number from 0 to 86400000"},
      {R"({"steps":[{"error":200}]})",
       "s.json: step 1 (/steps/0/error) is 200; it must be a whole number from 400 to 599"},
      {R"({"steps":[{"error":{"message":"m"}}]})",
       "s.json: step 1 (/steps/0/error) has no 'status'"},
      {R"({"steps":[{"error":{"status":500,"headers":{"a b":"c"}}}]})",
       "s.json: step 1 (/steps/0/error/headers/a b) is not a valid header"},
      {R"({"steps":[{"error":{"status":500,"headers":{"Content-Length":"1"}}}]})",
       "s.json: step 1 (/steps/0/error/headers/Content-Length) is set by the server itself"},
      {R"({"steps":[{"tool_use":{"input":{}}}]})",
       "s.json: step 1 (/steps/0/tool_use) has no 'name'"},
      {R"({"steps":[{"tool_use":{"name":"B","input":"ls"}}]})",
       "s.json: step 1 (/steps/0/tool_use/input) is a string; it must be an object"},
      {R"({"steps":[{"content":[{"type":"txt"}]}]})",
       "s.json: step 1 (/steps/0/content/0/type) is 'txt'; did you mean 'text'?"},
      {R"({"steps":[{"content":[{}]}]})", "s.json: step 1 (/steps/0/content/0) is not a block"},
      {R"({"steps":[{"text":"a","match":{}}]})",
       "s.json: step 1 (/steps/0/match) matches every request"},
      {R"({"steps":[{"text":"a"}],"then":"stop"})", "s.json: 'then' is 'stop'"},
      {R"({"steps":[{"text":"a","match":{"lst":"x"}}]})",
       "s.json: step 1 (/steps/0/match) has an unknown key 'lst'; did you mean 'last'?"},
      {R"({"steps":[{"text":"a","match":{"last":""}}]})",
       "s.json: step 1 (/steps/0/match/last) is empty"},
      {R"({"steps":[{"text":"a","times":0}]})",
       "s.json: step 1 (/steps/0/times) is 0; it must be a whole number from 1 to 2147483647"},
      {R"({"steps":[{"text":"a","trouble":{"at":"in_blok","do":"reset"}}]})",
       "s.json: step 1 (/steps/0/trouble/at) is 'in_blok'; did you mean 'in_block'?"},
      {R"({"steps":[{"trouble":[{"at":1,"do":"rset"}]}]})",
       "s.json: step 1 (/steps/0/trouble/0/do) is 'rset'; did you mean 'reset'?"},
      {R"({"steps":[{"trouble":{"do":"reset"}}]})",
       "s.json: step 1 (/steps/0/trouble) has no 'at'"},
      {R"({"steps":[{"trouble":{"at":1,"do":"reset","pause_ms":1}}]})",
       "s.json: step 1 (/steps/0/trouble) must have one action"},
      {R"({"steps":[{"trouble":{"at":1,"send_hex":"f"}}]})",
       "s.json: step 1 (/steps/0/trouble/send_hex) is not hexadecimal"},
      {R"({"steps":[{"error":500,"trouble":{"at":1,"error":500}}]})",
       "s.json: step 1 (/steps/0) has no message, so its stream cannot end with an error event"},
      {R"({"steps":[{"http":{"status":200},"text":"a"}]})",
       "s.json: step 1 (/steps/0) has both 'http' and a message"},
      {R"({"steps":[{"http":{"status":100}}]})",
       "s.json: step 1 (/steps/0/http/status) is 100; it must be a whole number from 200 to 599"},
      {R"({"steps":[{"tool_use":{"name":"B","input":{},"raw_input":"{"}}]})",
       "s.json: step 1 (/steps/0/tool_use) has both 'input' and 'raw_input'"},
      {R"({"steps":[{"text":"a","usage":{"cache_creation":{"ephemeral_5m":1}}}]})",
       "s.json: step 1 (/steps/0/usage/cache_creation) is an object; it must be an object with "
       "whole numbers: ephemeral_5m_input_tokens, ephemeral_1h_input_tokens"},
      {R"({"steps":[{"text":"a","line_end":"crfl"}]})",
       "s.json: step 1 (/steps/0/line_end) is 'crfl'; did you mean 'crlf'?"},
  };
  for (const auto& mistake : mistakes) {
    const auto error = error_of(mistake.text);
    EXPECT_EQ(error.message, mistake.message);
    EXPECT_EQ(error.code, Code::config);
  }
  EXPECT_EQ(error_of(R"({"steps":[{"text":"a","usage":{"in":1}}]})").hint,
            "known keys: input_tokens, output_tokens, cache_creation_input_tokens, "
            "cache_read_input_tokens, cache_creation, output_tokens_details, server_tool_use, "
            "service_tier, inference_geo, verbatim");
}

}  // namespace
}  // namespace ralph::mock

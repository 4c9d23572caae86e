#include "agent/api/assembler.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/api/harness.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

/// What came of a stream.
struct Told {
  Log log;
  Reply reply;
  std::optional<Failure> failure;
};

std::unique_ptr<Told> told(std::string_view stream) {
  auto out = std::make_unique<Told>();
  Assembler assembler(out->log, "req_1");
  http::SseDecoder decoder([&](const http::SseEvent& event) -> Result<> {
    out->failure = assembler.take(event);
    if (out->failure) return fail(Code::malformed, "");
    return {};
  });
  static_cast<void>(decoder.feed(stream));
  out->reply = assembler.release();
  return out;
}

/// The first block that comes of a start and its deltas.
Block block_of(std::string_view start, const std::vector<std::string>& deltas) {
  auto stream = message_start() + block_start(0, start);
  for (const auto& one : deltas) stream += delta(0, one);
  const auto out = told(stream + block_stop(0));
  EXPECT_FALSE(out->failure);
  EXPECT_EQ(out->reply.content.size(), 1U);
  return out->reply.content.empty() ? Block{} : out->reply.content.front();
}

TEST(ApiAssembler, ATextAnswer) {
  const auto out =
      told(message_start() + text_block(0, "Hello") + message_delta() + message_stop());
  ASSERT_FALSE(out->failure);
  const auto& reply = out->reply;
  EXPECT_EQ(reply.id, "msg_1");
  EXPECT_EQ(reply.model, "claude-x");
  EXPECT_EQ(reply.request_id, "req_1");
  EXPECT_EQ(reply.stop_reason.word(), "end_turn");
  EXPECT_EQ(reply.usage, (Usage{.input_tokens = 10, .output_tokens = 5}));
  EXPECT_EQ(reply.usage_at_start, R"({"input_tokens":10,"output_tokens":1})");
  EXPECT_TRUE(reply.whole);
  EXPECT_TRUE(reply.streamed);
  EXPECT_FALSE(reply.open);
  ASSERT_EQ(reply.content.size(), 1U);
  EXPECT_EQ(reply.content[0].text, "Hello");
  EXPECT_EQ(out->log.lines,
            (Lines{"event message_start", "event content_block_start", "event content_block_delta",
                   R"(block {"type":"text","text":"Hello"} of 1)", "event content_block_stop",
                   "event message_delta", "event message_stop"}));
  EXPECT_EQ(out->log.events.back(), R"({"type":"message_stop"})");
}

TEST(ApiAssembler, Thinking) {
  const auto out =
      told(message_start() + block_start(0, R"({"type":"thinking","thinking":"","signature":""})") +
           delta(0, R"({"type":"thinking_delta","thinking":"Let "})") +
           delta(0, R"({"type":"thinking_delta","thinking":"me"})") +
           delta(0, R"({"type":"signature_delta","signature":"c2ln"})") + block_stop(0));
  const auto& block = out->reply.content.at(0);
  EXPECT_EQ(block.json, R"({"type":"thinking","thinking":"Let me","signature":"c2ln"})");
  EXPECT_EQ(block.text, "Let me");
  EXPECT_EQ(out->log.lines_of("thinking"), (Lines{"thinking Let ", "thinking me"}));
  EXPECT_EQ(out->log.lines[2], "thinking Let ") << "before its event";
}

TEST(ApiAssembler, BlocksAndDeltasOfAllTypes) {
  EXPECT_EQ(block_of(R"({"type":"thinking","thinking":""})", {}).json,
            R"({"type":"thinking","thinking":"","signature":""})");
  EXPECT_EQ(block_of(R"({"type":"thinking"})", {}).json,
            R"({"type":"thinking","thinking":"","signature":""})");
  EXPECT_EQ(block_of(R"({"type":"redacted_thinking","data":"x"})", {}).json,
            R"({"type":"redacted_thinking","data":"x"})");
  EXPECT_EQ(block_of(R"({"type":"compaction","content":null})",
                     {R"({"type":"compaction_delta","content":"sum"})"})
                .json,
            R"({"type":"compaction","content":"sum"})");
  EXPECT_EQ(block_of(R"({"type":"text","text":"","citations":[]})",
                     {R"({"type":"text_delta","text":"a"})",
                      R"({"type":"citations_delta","citation":{"url":"u"}})",
                      R"({"type":"citations_delta","citation":{"url":"v"}})"})
                .json,
            R"({"type":"text","text":"a","citations":[{"url":"u"},{"url":"v"}]})");
  EXPECT_EQ(
      block_of(R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"a":1}]})", {})
          .json,
      R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"a":1}]})");
  EXPECT_EQ(block_of(R"({"type":"novel","n":1,"s":"a"})",
                     {R"({"type":"novel_delta","s":"b","n":2,"o":{"p":[]}})"})
                .json,
            R"({"type":"novel","n":2,"s":"ab","o":{"p":[]}})");
  EXPECT_EQ(block_of("{}", {R"({"type":"text_delta","text":"a"})"}).json,
            R"({"type":"text","text":"a"})");
}

Block tool(std::string_view rest, const std::vector<std::string>& pieces = {}) {
  std::vector<std::string> deltas;
  for (const auto& piece : pieces) {
    deltas.push_back(json::write({{"type", "input_json_delta"}, {"partial_json", piece}}));
  }
  return block_of(R"({"type":"tool_use","id":"t1","name":"Bash")" + std::string(rest) + "}",
                  deltas);
}

TEST(ApiAssembler, ToolCalls) {
  const auto block = tool(R"(,"input":{})", {"", R"({"comm)", R"(and": "l\u0073"})"});
  EXPECT_EQ(block.type, BlockType::tool_use);
  EXPECT_EQ(block.id, "t1");
  EXPECT_EQ(block.name, "Bash");
  EXPECT_EQ(block.input, R"({"command":"ls"})");
  EXPECT_EQ(block.raw_input, "");
  EXPECT_EQ(block.json, R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}})");
  EXPECT_EQ(tool("").input, "{}");
  EXPECT_EQ(tool(R"(,"input":null)").input, "{}");
  EXPECT_EQ(tool(R"(,"input":{"a":1})").input, R"({"a":1})");
  EXPECT_EQ(tool(R"(,"input":{"a":1})", {""}).input, R"({"a":1})");
  EXPECT_EQ(tool(R"(,"input":"{\"a\":1}")").input, R"({"a":1})");
  EXPECT_EQ(tool("", {R"({"a":123456789012345678901234567890})"}).raw_input, "");
  EXPECT_EQ(block_of(R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})",
                     {R"({"type":"input_json_delta","partial_json":"{\"q\":1}"})"})
                .input,
            R"({"q":1})");
}

TEST(ApiAssembler, ToolInputThatIsNoObject) {
  const auto block = tool(R"(,"input":{})", {R"({"command": "ech)"});
  EXPECT_EQ(block.raw_input, R"({"command": "ech)");
  EXPECT_EQ(block.input, R"({"__unparsedToolInput":{"raw":"{\"command\": \"ech","len":16}})");
  EXPECT_EQ(block.json,
            R"({"type":"tool_use","id":"t1","name":"Bash","input":)" + block.input + "}");
  for (const auto* text : {"[1]", "7", "null", "\"x\"", "{} {}"}) {
    EXPECT_EQ(tool("", {text}).raw_input, text);
  }
  const auto deep = std::string(5'000, '[');
  EXPECT_EQ(tool("", {deep}).raw_input, deep);
}

TEST(ApiAssembler, InterleavedBlocksStandInOrder) {
  const auto out = told(message_start() + block_start(0, R"({"type":"text","text":""})") +
                        block_start(1, R"({"type":"text","text":""})") + text_delta(1, "b") +
                        text_delta(0, "a") + block_stop(1) + block_stop(0));
  ASSERT_EQ(out->reply.content.size(), 2U);
  EXPECT_EQ(out->reply.content[0].text, "a");
  EXPECT_EQ(out->reply.content[1].text, "b");
}

TEST(ApiAssembler, MissingStartsStopsAndIndexes) {
  const auto out =
      told(sse("content_block_delta",
               R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}})") +
           block_start(0, R"({"type":"text","text":""})") + text_delta(0, "b") +
           sse("content_block_start",
               R"({"type":"content_block_start","content_block":{"type":"text","text":"c"}})") +
           delta(7, R"({"type":"input_json_delta","partial_json":"{}"})") + block_stop(9) +
           message_delta() + message_stop() + text_delta(0, "late"));
  ASSERT_FALSE(out->failure);
  ASSERT_EQ(out->reply.content.size(), 3U);
  EXPECT_EQ(out->reply.content[0].text, "a");
  EXPECT_EQ(out->reply.content[1].text, "b");
  EXPECT_EQ(out->reply.content[2].text, "c");
}

TEST(ApiAssembler, TheOpenBlock) {
  const auto out = told(message_start() + text_block(0, "a") +
                        block_start(1, R"({"type":"text","text":""})") + text_delta(1, "part"));
  EXPECT_FALSE(out->reply.whole);
  EXPECT_EQ(out->reply.content.size(), 1U);
  ASSERT_TRUE(out->reply.open);
  EXPECT_EQ(out->reply.open->json, R"({"type":"text","text":"part"})");
}

TEST(ApiAssembler, TheDataSaysWhatAnEventIs) {
  const auto out = told(
      "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"
      "event: odd\ndata: {\"type\":\"content_block_start\",\"index\":0,"
      "\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n"
      "event: content_block_stop\ndata: {\"index\":0}\n\n"
      "event: message_stop\ndata: {}\n\n");
  ASSERT_FALSE(out->failure);
  EXPECT_EQ(out->reply.id, "m");
  EXPECT_TRUE(out->reply.whole);
  EXPECT_EQ(out->reply.content.at(0).text, "a");
}

TEST(ApiAssembler, ReportsDataOfSeveralLinesOnOne) {
  const auto out = told(
      "event: message_start\ndata: {\ndata:   \"type\": \"message_start\",\n"
      "data:   \"message\": {\"id\": \"a b\"}\ndata: }\n\n");
  ASSERT_FALSE(out->failure);
  EXPECT_EQ(out->log.events, Lines{R"({"type":"message_start","message":{"id":"a b"}})"});
}

TEST(ApiAssembler, WhatIsIgnored) {
  const auto out = told(": comment\n\n" + message_start() + sse("ping", R"({"type": "ping"})") +
                        sse("ping", "not JSON") + sse("novel", "not JSON") +
                        sse("novel", R"({"type":"novel"})") + "data: [DONE]\n\n" +
                        sse("content_block_delta", R"({"type":"content_block_delta","index":0})") +
                        message_stop());
  EXPECT_FALSE(out->failure);
  EXPECT_TRUE(out->reply.whole);
  EXPECT_EQ(out->log.lines_of("event novel"), Lines{});
  EXPECT_EQ(out->log.lines_of("event ping"), Lines{});
}

TEST(ApiAssembler, BrokenTextIsRepaired) {
  const auto out = told(message_start() +
                        text_block(0,
                                   "a\xff"
                                   "b\\ud83d") +
                        message_stop());
  ASSERT_FALSE(out->failure);
  EXPECT_EQ(out->reply.content.at(0).text,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  for (const auto& event : out->log.events) EXPECT_TRUE(json::parse(event)) << event;
}

TEST(ApiAssembler, Errors) {
  const auto event = told(message_start() + sse("error", error_body("overloaded_error", "Busy")));
  ASSERT_TRUE(event->failure);
  EXPECT_EQ(event->failure->kind, FailureKind::error_event);
  EXPECT_EQ(event->failure->type, "overloaded_error");
  EXPECT_EQ(event->failure->message, "Busy");
  EXPECT_EQ(event->failure->request_id, "req_1");
  EXPECT_EQ(event->log.lines, Lines{"event message_start"});
  EXPECT_EQ(told("data: {\"error\":\"no slot\"}\n\n")->failure.value().message, "no slot");
  for (const auto* data : {"{", "nonsense", "7", "[]", "{\"type\":\"message_start\"} x"}) {
    const auto bad = told(sse("message_start", data));
    ASSERT_TRUE(bad->failure) << data;
    EXPECT_EQ(bad->failure->kind, FailureKind::garbage) << data;
  }
}

TEST(ApiAssembler, Limits) {
  EXPECT_TRUE(told(block_start(1'000'000, R"({"type":"text"})"))->failure);
  std::string many;
  for (int i = 0; i < 65; ++i) many += block_start(i, R"({"type":"text"})");
  EXPECT_TRUE(told(many)->failure);
  const auto piece = text_delta(0, std::string(std::size_t{1} << 20, 'x'));
  std::string huge;
  for (int i = 0; i < 64; ++i) huge += piece;
  EXPECT_EQ(told(huge)->failure.value().message, "the response is larger than 64 MB");
}

TEST(ApiAssembler, StopDetailsAndSequence) {
  const auto out = told(message_start() + sse("message_delta",
                                              R"({"type":"message_delta","delta":{"stop_reason":)"
                                              R"("refusal","stop_sequence":"END","stop_details":)"
                                              R"({"category": "x"}}})"));
  EXPECT_EQ(out->reply.stop_reason.word(), "refusal");
  EXPECT_EQ(out->reply.stop_sequence, "END");
  EXPECT_EQ(out->reply.stop_details, R"({"category":"x"})");
}

TEST(ApiMessage, InOnePiece) {
  Log log;
  Reply reply;
  const auto failure = read_message(
      R"({"id":"m","model":"x","content":[{"type":"thinking","thinking":"Hm","signature":"s"},
          {"type":"text","text":"Hi","citations":null},
          {"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}],
          "stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":3}})",
      reply, log);
  ASSERT_FALSE(failure);
  EXPECT_TRUE(reply.whole);
  EXPECT_FALSE(reply.streamed);
  EXPECT_EQ(reply.stop_reason.word(), "tool_use");
  EXPECT_EQ(reply.usage, (Usage{.input_tokens = 7, .output_tokens = 3}));
  EXPECT_EQ(reply.content.at(2).input, R"({"command":"ls"})");
  EXPECT_EQ(
      log.lines,
      (Lines{"thinking Hm", R"(block {"type":"thinking","thinking":"Hm","signature":"s"} of 1)",
             R"(block {"type":"text","text":"Hi","citations":null} of 2)",
             R"(block {"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}} of 3)"}));
}

TEST(ApiMessage, RejectsABodyThatIsNotAMessage) {
  Log log;
  for (const auto* body : {"", "<html>", "[]", "{}", R"({"content":"text"})"}) {
    Reply reply;
    const auto failure = read_message(body, reply, log);
    ASSERT_TRUE(failure) << body;
    EXPECT_EQ(failure->kind, FailureKind::garbage) << body;
  }
  Reply reply;
  const auto failure = read_message(error_body("overloaded_error", "Busy"), reply, log);
  EXPECT_EQ(failure.value().kind, FailureKind::error_event);
  EXPECT_EQ(failure.value().type, "overloaded_error");
  EXPECT_EQ(log.lines, Lines{});
}

/// The events a real client passed on, and the blocks it made of them.
TEST(ApiAssembler, StreamsThatWereCaptured) {
  for (const auto* name : {"text_turn_partial", "thinking_partial"}) {
    std::ifstream file(std::string(RALPH_FIXTURES) + "/claude/" + name + ".ndjson");
    ASSERT_TRUE(file) << name;
    std::string stream;
    std::vector<json::Document> blocks;
    for (std::string line; std::getline(file, line);) {
      const auto event = json::parse(line).value();
      const auto type = event.value("type", "");
      if (type == "stream_event") stream += "data: " + json::write(event["event"]) + "\n\n";
      if (type == "assistant") blocks.push_back(event["message"]["content"][0]);
    }
    const auto out = told(stream);
    ASSERT_FALSE(out->failure) << name;
    EXPECT_TRUE(out->reply.whole);
    ASSERT_EQ(out->reply.content.size(), blocks.size()) << name;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(out->reply.content[i].json, json::write(blocks[i]));
    }
  }
}

}  // namespace
}  // namespace ralph::api

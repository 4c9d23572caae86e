#include "mock/message.h"

#include <gtest/gtest.h>

namespace ralph::mock {
namespace {

Message sample(std::vector<Block> content, std::string stop_reason = "end_turn") {
  return {"msg_1",
          "m",
          std::move(content),
          std::move(stop_reason),
          {10, 4, R"({"cache_creation_input_tokens":2,"cache_read_input_tokens":3})"},
          {},
          {}};
}

std::string stream(const Message& message, std::size_t chunk_size) {
  std::string bytes;
  for (const auto& event : message_events(message, chunk_size)) bytes += event_bytes(event);
  return bytes;
}

constexpr std::string_view kStart =
    "event: message_start\n"
    R"(data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",)"
    R"("model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,)"
    R"("cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":1}}})"
    "\n\n";

std::string end(std::string_view stop_reason) {
  return "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" +
         std::string(stop_reason) +
         R"(","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":2,)"
         R"("cache_read_input_tokens":3,"output_tokens":4}})"
         "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
}

TEST(MessageEvents, TextInPieces) {
  EXPECT_EQ(stream(sample({TextBlock{"Hello"}}), 3), std::string(kStart) +
                                                         R"(event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

)" + end("end_turn"));
}

TEST(MessageEvents, ThinkingThenATool) {
  const ToolUseBlock call{"Bash", R"({"command":"ls"})", "toolu_1"};
  EXPECT_EQ(stream(sample({ThinkingBlock{"hm", "sig"}, call}, "tool_use"), 10),
            std::string(kStart) +
                R"(event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":\"ls\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

)" + end("tool_use"));
}

TEST(MessageEvents, AnotherBlockIsSentAsItIs) {
  const auto events =
      message_events(sample({VerbatimBlock{R"({"type":"redacted_thinking","data":"x"})"}}), 9);
  EXPECT_EQ(
      events.at(1).data,
      R"({"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}})");
  EXPECT_EQ(events.at(3).name, "content_block_stop");
}

std::vector<std::string> deltas_of(const Message& message) {
  std::vector<std::string> deltas;
  for (const auto& event : message_events(message, 40)) {
    if (event.name == "content_block_delta") {
      deltas.push_back(event.data.substr(event.data.find("\"delta\":") + 8));
    }
  }
  return deltas;
}
using Deltas = std::vector<std::string>;

TEST(MessageEvents, ThinkingWithoutASignatureHasNoDeltaForIt) {
  EXPECT_EQ(deltas_of(sample({ThinkingBlock{"hm", ""}})),
            Deltas{R"({"type":"thinking_delta","thinking":"hm"}})"});
  EXPECT_EQ(deltas_of(sample({ThinkingBlock{"", "s"}})),
            Deltas{R"({"type":"signature_delta","signature":"s"}})"});
}

TEST(MessageEvents, CitationsComeBehindTheText) {
  const auto message = sample({TextBlock{"a", {R"({"type":"char_location","n":1})"}}});
  EXPECT_NE(stream(message, 9).find(R"("content_block":{"type":"text","text":"","citations":[]}})"),
            std::string::npos);
  EXPECT_EQ(deltas_of(message),
            (Deltas{R"({"type":"text_delta","text":"a"}})",
                    R"({"type":"citations_delta","citation":{"type":"char_location","n":1}}})"}));
}

TEST(MessageEvents, ACompactionComesInOneDelta) {
  EXPECT_EQ(deltas_of(sample({CompactionBlock{std::string(50, 'x')}})),
            Deltas{R"({"type":"compaction_delta","content":")" + std::string(50, 'x') + "\"}}"});
}

TEST(MessageEvents, VerbatimDeltasFollowAVerbatimStart) {
  EXPECT_EQ(deltas_of(sample({VerbatimBlock{R"({"type":"new"})", {R"({"type":"new_delta"})"}}})),
            Deltas{R"({"type":"new_delta"}})"});
}

TEST(MessageEvents, AToolsInputMayBeNoJson) {
  const auto message = sample({ToolUseBlock{"Bash", R"({"command": "ls)", "t"}});
  EXPECT_EQ(deltas_of(message),
            (Deltas{R"({"type":"input_json_delta","partial_json":""}})",
                    R"({"type":"input_json_delta","partial_json":"{\"command\": \"ls"}})"}));
  EXPECT_NE(message_json(message).find(R"("input":"{\"command\": \"ls"})"), std::string::npos);
}

TEST(MessageEvents, TheEndTellsWhy) {
  auto message = sample({}, "refusal");
  message.stop_sequence = "END";
  message.stop_details = R"({"category":"cyber"})";
  EXPECT_NE(
      stream(message, 9)
          .find(
              R"("delta":{"stop_reason":"refusal","stop_sequence":"END","stop_details":{"category":"cyber"}})"),
      std::string::npos);
  EXPECT_NE(
      message_json(message).find(
          R"("stop_reason":"refusal","stop_sequence":"END","stop_details":{"category":"cyber"},"usage")"),
      std::string::npos);
}

TEST(MessageEvents, TheStartKnowsNothingOfTheOutput) {
  auto message = sample({});
  message.usage.others =
      R"({"cache_creation":{"ephemeral_1h_input_tokens":2},"output_tokens_details":{"thinking_tokens":1}})";
  const auto events = message_events(message, 9);
  EXPECT_NE(events.front().data.find("ephemeral_1h"), std::string::npos);
  EXPECT_EQ(events.front().data.find("thinking_tokens"), std::string::npos);
  EXPECT_NE(events.at(1).data.find("thinking_tokens"), std::string::npos);
}

TEST(MessageEvents, LinesCanEndInThreeWays) {
  const Event event{"ping", "{}"};
  EXPECT_EQ(event_bytes(event, LineEnd::crlf), "event: ping\r\ndata: {}\r\n\r\n");
  EXPECT_EQ(event_bytes(event, LineEnd::cr), "event: ping\rdata: {}\r\r");
}

TEST(MessageEvents, CharactersAreNeverCut) {
  const auto events = message_events(sample({TextBlock{"aä🎉b"}}), 1);
  std::vector<std::string> deltas;
  for (const auto& event : events) {
    if (event.name == "content_block_delta") deltas.push_back(event.data);
  }
  ASSERT_EQ(deltas.size(), 4u);
  EXPECT_NE(deltas[1].find("\"text\":\"ä\""), std::string::npos);
  EXPECT_NE(deltas[2].find("\"text\":\"🎉\""), std::string::npos);
}

TEST(MessageEvents, NoContentHasNoBlocks) {
  EXPECT_EQ(stream(sample({}), 5), std::string(kStart) + end("end_turn"));
}

TEST(MessageJson, IsTheWholeMessage) {
  EXPECT_EQ(message_json(sample(
                {ThinkingBlock{"hm", "sig"}, TextBlock{"a"}, ToolUseBlock{"B", R"({"z":1})", "t"}},
                "tool_use")),
            R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":[)"
            R"({"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"a"},)"
            R"({"type":"tool_use","id":"t","name":"B","input":{"z":1}}],"stop_reason":"tool_use",)"
            R"("stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":2,)"
            R"("cache_read_input_tokens":3,"output_tokens":4}})");
}

}  // namespace
}  // namespace ralph::mock

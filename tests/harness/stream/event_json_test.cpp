#include "harness/stream/event_json.h"

#include <gtest/gtest.h>

#include "harness/stream/names_impl.h"

namespace ralph::stream {
namespace {

Event event_of(Payload payload) {
  return {7, 1500, "claude", "run-1", 3, "toolu_1", std::move(payload)};
}

void expect_round_trip(const Event& event) {
  const auto text = encode(event);
  EventReader reader;
  const auto back = reader.decode(text);
  ASSERT_TRUE(back) << text;
  EXPECT_EQ(*back, event) << text;
}

TEST(EventJson, EveryPayloadWithAllFieldsComesBack) {
  const Tokens tokens{1, 2, 3, 4, 5};
  const std::vector<Payload> payloads{
      SessionStarted{"s", "m", "/w", "2.1", "default", {R"(["Bash","Read"])"}, true},
      TurnStarted{4},
      Text{"line\nwith \"quotes\" \\ and \x01 control €", true, false, "msg_1"},
      Thinking{"hm", true},
      ToolCall{"toolu_1", "Grep", ToolKind::search, "x in y", {R"({"pattern":"x", "path" : "y"})"}},
      ToolOutput{"toolu_1", "progress", "running for 30 s"},
      ToolResult{"toolu_1", "Bash", false, 3, "Exit code 3", true},
      Usage{UsageScope::session_total, "m", "msg_1", tokens, 0.00014000000000000001, 1000000, true},
      Retry{1, 10, 601, 529, ErrorClass::overloaded, "overloaded"},
      Notice{Level::warning, "compaction", "text", 12},
      ErrorEvent{ErrorClass::permission, "no", 403, 1794800000, "toolu_2", "Write", true},
      TurnEnded{"done",
                {R"({"a":[1,2]})"},
                true,
                TurnEndReason::max_turns,
                "max_turns",
                "e1; e2",
                true,
                "task-notification",
                "s",
                tokens,
                1.25,
                3,
                400,
                {R"([{"tool":"Write"}])"},
                400},
      RunResult{Status::timeout,
                "timed_out",
                "why",
                "headline",
                "detail",
                "addition",
                "hint",
                "text",
                {"[1]"},
                "s",
                "m",
                tokens,
                0.5,
                CostSource::price_table,
                true,
                2,
                100,
                1,
                9,
                1,
                2,
                true,
                "2.1.325",
                "streamed",
                {R"([{"tool":"Write"}])"},
                ".ralph/logs/x.ndjson",
                2},
      Unknown{"new/type", {R"({"type":"new","x":{"y":[1,"]"]}})"}},
  };
  EXPECT_EQ(payloads.size(), std::variant_size_v<Payload>);
  for (const auto& payload : payloads) expect_round_trip(event_of(payload));
}

template <std::size_t... I>
std::vector<Payload> empty_payloads(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Payload>{}...};
}

TEST(EventJson, EveryPayloadWithNothingSaidComesBack) {
  for (const auto& payload :
       empty_payloads(std::make_index_sequence<std::variant_size_v<Payload>>())) {
    expect_round_trip(Event{1, 0, "", "", -1, "", payload});
  }
}

template <typename Enum>
void expect_words_round_trip() {
  for (std::size_t i = 0; i < Names<Enum>::kWords.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(named<Enum>(to_string(value)), value);
  }
  EXPECT_EQ(named<Enum>("no such word"), std::nullopt);
}

TEST(EventJson, EveryWordOfEveryEnumComesBack) {
  expect_words_round_trip<ToolKind>();
  expect_words_round_trip<Level>();
  expect_words_round_trip<ErrorClass>();
  expect_words_round_trip<UsageScope>();
  expect_words_round_trip<CostSource>();
  expect_words_round_trip<Status>();
}

TEST(EventJson, HasAStableForm) {
  EXPECT_EQ(encode(event_of(Text{"hi", false, true, "msg_1"})),
            R"({"seq":7,"t_ms":1500,"agent":"claude","run_id":"run-1","line":3,"parent":"toolu_1",)"
            R"("type":"text","text":"hi","delta":false,"final":true,"message_id":"msg_1"})");
}

TEST(EventJson, InputWithNumbersBeyond64BitsComesBack) {
  expect_round_trip(
      event_of(ToolCall{"t", "Bash", ToolKind::shell, "", {R"({"n":100000000000000000000})"}}));
}

TEST(EventJson, RefusesWhatIsNoEvent) {
  EventReader reader;
  EXPECT_FALSE(reader.decode(""));
  EXPECT_FALSE(reader.decode("{"));
  EXPECT_FALSE(reader.decode("[]"));
  EXPECT_FALSE(reader.decode(R"({"seq":1})"));
  EXPECT_FALSE(reader.decode(R"({"type":"never heard of"})"));
  EXPECT_TRUE(reader.decode(R"({"type":"text","text":"x","new_field":1})"));
}

}  // namespace
}  // namespace ralph::stream

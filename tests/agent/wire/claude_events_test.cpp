#include "agent/wire/claude_events.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::wire {
namespace {

using json::Document;
using session::Identity;

Document event_of(const Identity& from, const session::Event& event) {
  return json::parse(claude_json(from, event)).value_or(Document("not JSON"));
}

TEST(ClaudeEvents, NameTheCallOfTheParentSession) {
  const Identity top("s"), child("s", "toolu_1");
  const session::UserExtras extras;
  const session::UserInput input{R"([])", extras};
  EXPECT_TRUE(event_of(top, input)["parent_tool_use_id"].is_null());
  EXPECT_EQ(event_of(child, input)["parent_tool_use_id"], "toolu_1");
  const session::ReplyProgress progress{"msg", R"({"type":"message_stop"})"};
  EXPECT_TRUE(event_of(top, progress)["parent_tool_use_id"].is_null());
  EXPECT_EQ(event_of(child, progress)["parent_tool_use_id"], "toolu_1");
  const session::ApiErrorFacts facts;
  EXPECT_EQ(event_of(child, session::ErrorReply{facts})["parent_tool_use_id"], "toolu_1");
}

TEST(ClaudeEvents, ShowOnlyWhatAProgressEventHas) {
  const Identity from("s");
  const auto plain = event_of(from, session::ReplyProgress{"msg", "{}"});
  for (const auto* const key : {"ttft_ms", "thinking_display", "abandoned_blocks"}) {
    EXPECT_FALSE(plain.contains(key)) << key;
  }
  session::ReplyProgress full{"msg", "{}"};
  full.time_to_first_token = Millis{7};
  full.thinking_display = "updates";
  full.abandoned_from = 2;
  const auto event = event_of(from, full);
  EXPECT_EQ(event["ttft_ms"], 7);
  EXPECT_EQ(event["thinking_display"], "updates");
  EXPECT_EQ(event["abandoned_blocks"]["from_block_index"], 2);
  EXPECT_EQ(event["abandoned_blocks"]["api_message_id"], "msg");
}

TEST(ClaudeEvents, FollowAChangeOfTheSession) {
  Identity from("first");
  EXPECT_EQ(event_of(from, session::Notice{"x"})["session_id"], "first");
  from.change_session("second");
  EXPECT_EQ(event_of(from, session::Notice{"x"})["session_id"], "second");
}

}  // namespace
}  // namespace ralph::wire

#include "agent/session/events.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {

using json::ObjectWriter;

std::string EventMaker::local_answer(std::string_view text) const {
  ApiErrorFacts facts;
  facts.text = text;
  facts.stop_reason = "end_turn";
  std::string out;
  ObjectWriter(out)
      .text("type", "assistant")
      .raw("message", api_error_message(facts))
      .raw("parent_tool_use_id", "null")
      .text("session_id", session_id_)
      .text("uuid", make_uuid())
      .text("timestamp", iso_utc(now_utc()))
      .raw("local_command_outcome", R"({"kind":"unavailable_headless"})")
      .close();
  return out;
}

std::string EventMaker::conversation_reset(std::string_view user_uuid) const {
  const auto uuid = make_uuid();
  std::string out;
  ObjectWriter(out)
      .text("type", "conversation_reset")
      .text("new_conversation_id", uuid)
      .text("uuid", uuid)
      .text("trigger", "clear")
      .text("user_message_uuid", user_uuid)
      .text("timestamp", iso_utc(now_utc()))
      .text("session_id", session_id_)
      .close();
  return out;
}

}  // namespace ralph::session

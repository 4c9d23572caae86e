#include "agent/session/message_json.h"
#include "agent/wire/claude_json_impl.h"
#include "core/base/id.h"
#include "core/base/time.h"
#include "core/json/writer.h"

/// Compaction, the session, and replies without the model.
namespace ralph::wire {

using json::ObjectWriter;

std::string line(const session::Identity& from, const session::CompactionStarted& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system").text("subtype", "status").text("status", "compacting");
  if (event.trigger == session::CompactTrigger::automatic)
    writer.number("compact_output_chars", std::int64_t{0});
  writer.text("session_id", from.session_id()).text("uuid", make_uuid()).close();
  return out;
}

std::string line(const session::Identity& from, const session::CompactionEnded& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "status")
      .raw("status", "null")
      .text("compact_result", event.failure ? "failed" : "success");
  if (event.failure) writer.text("compact_error", to_string(*event.failure));
  writer.text("session_id", from.session_id()).text("uuid", make_uuid()).close();
  return out;
}

std::string line(const session::Identity& from, const session::ConversationCompacted& event) {
  std::string metadata, out;
  ObjectWriter(metadata)
      .text("trigger", to_string(event.facts.trigger))
      .number("pre_tokens", event.facts.pre_tokens)
      .number("post_tokens", event.facts.post_tokens)
      .number("cumulative_dropped_tokens", event.facts.dropped_tokens)
      .number("duration_ms", std::int64_t{event.facts.duration.count()})
      .close();
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "compact_boundary")
      .text("uuid", event.facts.uuid)
      .raw("compact_metadata", metadata)
      .text("logical_parent_uuid", event.facts.logical_parent)
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::LocalReply& event) {
  session::ApiErrorFacts facts;
  facts.text = event.text;
  facts.stop_reason = api::StopReason::end_turn;
  std::string out;
  ObjectWriter(out)
      .text("type", "assistant")
      .raw("message", session::api_error_message(facts))
      .raw("parent_tool_use_id", parent_json(from))
      .text("session_id", from.session_id())
      .text("uuid", make_uuid())
      .text("timestamp", iso_utc(now_utc()))
      .raw("local_command_outcome", R"({"kind":"unavailable_headless"})")
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::ConversationReset& event) {
  const auto uuid = make_uuid();
  std::string out;
  ObjectWriter(out)
      .text("type", "conversation_reset")
      .text("new_conversation_id", uuid)
      .text("uuid", uuid)
      .text("trigger", "clear")
      .text("user_message_uuid", event.user_uuid)
      .text("timestamp", iso_utc(now_utc()))
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::ModeChanged& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "status")
      .raw("status", "null")
      .text("permissionMode", event.mode)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::MessageProgress& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "command_lifecycle")
      .text("command_uuid", event.uuid)
      .text("state", to_string(event.state))
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

}  // namespace ralph::wire

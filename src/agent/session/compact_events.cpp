#include "agent/session/events.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {

using json::ObjectWriter;

std::string EventMaker::compacting(std::string_view trigger) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system").text("subtype", "status").text("status", "compacting");
  if (trigger == "auto") writer.number("compact_output_chars", std::int64_t{0});
  writer.text("session_id", session_id_).text("uuid", make_uuid()).close();
  return out;
}

std::string EventMaker::compact_ended(std::string_view error) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "status")
      .raw("status", "null")
      .text("compact_result", error.empty() ? "success" : "failed");
  if (!error.empty()) writer.text("compact_error", error);
  writer.text("session_id", session_id_).text("uuid", make_uuid()).close();
  return out;
}

std::string EventMaker::compact_boundary(const CompactFacts& facts) const {
  std::string metadata, out;
  ObjectWriter(metadata)
      .text("trigger", facts.trigger)
      .number("pre_tokens", facts.pre_tokens)
      .number("post_tokens", facts.post_tokens)
      .number("cumulative_dropped_tokens", facts.dropped_tokens)
      .number("duration_ms", std::int64_t{facts.duration.count()})
      .close();
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "compact_boundary")
      .text("uuid", facts.uuid)
      .raw("compact_metadata", metadata)
      .text("logical_parent_uuid", facts.logical_parent)
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string boundary_members(const CompactFacts& facts) {
  std::string metadata, members;
  ObjectWriter(metadata)
      .text("trigger", facts.trigger)
      .number("preTokens", facts.pre_tokens)
      .number("postTokens", facts.post_tokens)
      .number("cumulativeDroppedTokens", facts.dropped_tokens)
      .number("durationMs", std::int64_t{facts.duration.count()})
      .close();
  members = R"("subtype":"compact_boundary","content":"Conversation compacted","level":"info",)"
            R"("logicalParentUuid":)";
  json::append_string(members, facts.logical_parent);
  return members + ",\"compactMetadata\":" + metadata;
}

}  // namespace ralph::session

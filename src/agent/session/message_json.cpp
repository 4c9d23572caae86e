#include "agent/session/message_json.h"

#include "agent/session/json_text.h"
#include "core/base/id.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

using json::ObjectWriter;

ObjectWriter& text_or_null(ObjectWriter& writer, std::string_view key, std::string_view text) {
  return text.empty() ? writer.raw(key, "null") : writer.text(key, text);
}

/// Of a reply that the agent wrote itself.
constexpr std::string_view kNoUsage =
    R"({"output_tokens_details":null,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,)"
    R"("cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},)"
    R"("service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},)"
    R"("inference_geo":null,"iterations":null,"speed":null,"fallback_credit":null})";

std::string thinking_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out).number("thinking_tokens", usage.thinking_tokens).close();
  return out;
}

std::string server_tools_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out)
      .number("web_search_requests", usage.web_search_requests)
      .number("web_fetch_requests", usage.web_fetch_requests)
      .close();
  return out;
}

}  // namespace

std::string message_json(const api::Reply& reply, std::string_view block,
                         const api::ReplyStop& stop_reason, std::string_view usage) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("id", reply.id)
      .text("type", "message")
      .text("role", "assistant")
      .text("model", reply.model)
      .raw("content", "[" + std::string(block) + "]");
  text_or_null(writer, "stop_reason", stop_reason.word());
  text_or_null(writer, "stop_sequence", stop_reason.reported() ? reply.stop_sequence : "");
  writer.raw("usage", usage).raw("context_management", "null").close();
  return out;
}

std::string api_error_message(const ApiErrorFacts& facts) {
  const auto block = R"({"type":"text","text":)" + json_string(facts.text) + "}";
  std::string message;
  ObjectWriter(message)
      .raw("diagnostics", "null")
      .text("id", make_uuid())
      .raw("container", "null")
      .text("model", "<synthetic>")
      .text("role", "assistant")
      .raw("stop_details", "null")
      .text("stop_reason", api::ReplyStop(facts.stop_reason).word())
      .raw("stop_sequence", facts.stop_reason == api::StopReason::tool_use ? "null" : R"("")")
      .text("type", "message")
      .raw("usage", kNoUsage)
      .raw("content", "[" + block + "]")
      .raw("context_management", "null")
      .close();
  return message;
}

bool is_thinking(const json::Document& block) {
  const auto type = json::text(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

std::string usage_so_far_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out)
      .raw("output_tokens_details", thinking_json(usage))
      .number("cache_creation_input_tokens", usage.cache_creation_input_tokens)
      .number("cache_read_input_tokens", usage.cache_read_input_tokens)
      .number("input_tokens", usage.input_tokens)
      .raw("iterations", "[]")
      .number("output_tokens", usage.output_tokens)
      .raw("server_tool_use", server_tools_json(usage))
      .raw("fallback_credit", "null")
      .close();
  return out;
}

std::string usage_json(const api::Usage& usage) {
  std::string written, out;
  ObjectWriter(written)
      .number("ephemeral_1h_input_tokens", usage.cache_creation_1h)
      .number("ephemeral_5m_input_tokens", usage.cache_creation_5m)
      .close();
  ObjectWriter(out)
      .number("input_tokens", usage.input_tokens)
      .number("cache_creation_input_tokens", usage.cache_creation_input_tokens)
      .number("cache_read_input_tokens", usage.cache_read_input_tokens)
      .number("output_tokens", usage.output_tokens)
      .raw("output_tokens_details", thinking_json(usage))
      .raw("server_tool_use", server_tools_json(usage))
      .text("service_tier", "standard")
      .raw("cache_creation", written)
      .text("inference_geo", "")
      .raw("iterations", "[]")
      .text("speed", "standard")
      .raw("fallback_credit", "null")
      .close();
  return out;
}

std::string boundary_members(const CompactFacts& facts) {
  std::string metadata, members;
  ObjectWriter(metadata)
      .text("trigger", to_string(facts.trigger))
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

#include <algorithm>

#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "agent/settings/claude_version.h"
#include "agent/wire/claude_json_impl.h"
#include "core/base/id.h"
#include "core/base/words.h"
#include "core/json/writer.h"

/// Turns, requests, replies and user messages.
namespace ralph::wire {

using json::ObjectWriter;

namespace {

/// Clients know the Agent tool by its former name here.
std::vector<std::string> tool_names(std::vector<std::string> names) {
  std::ranges::replace(names, "Agent", "Task");
  return names;
}

std::string servers_json(const std::vector<session::ServerFacts>& servers) {
  std::string list = "[";
  for (const auto& server : servers) {
    if (list.size() > 1) list += ',';
    ObjectWriter(list)
        .text("name", server.name)
        .text("status", server.status)
        .text("source", server.source)
        .close();
  }
  return list + "]";
}

}  // namespace

std::string line(const session::Identity& from, const session::TurnStarted& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "init")
      .text("cwd", event.facts.cwd)
      .text("session_id", from.session_id())
      .raw("tools", session::string_array(tool_names(event.facts.tools)))
      .raw("mcp_servers", servers_json(event.facts.servers))
      .text("model", event.facts.model)
      .text("permissionMode", event.facts.permission_mode)
      .raw("slash_commands", session::string_array(event.facts.slash_commands))
      .raw("terminal_slash_commands", "[]")
      .text("apiKeySource", event.facts.key_source)
      .text("claude_code_version", settings::kClaudeVersion)
      .text("output_style", "default")
      .raw("agents", session::string_array(event.facts.agents))
      .raw("skills", session::string_array(event.facts.skills))
      .raw("plugins", "[]")
      .raw("capabilities", R"(["interrupt_receipt_v1","interrupt_cancel_queued_v1"])")
      .boolean("analytics_disabled", true)
      .boolean("product_feedback_disabled", true)
      .text("uuid", make_uuid())
      .text("original_cwd", event.facts.cwd)
      .raw("additional_directories", session::string_array(event.facts.add_dirs))
      .text("fast_mode_state", "off")
      .text("view_mode", "default");
  if (!event.answers.empty())
    writer.raw("user_message_uuids", session::string_array(event.answers));
  writer.close();
  return out;
}

std::string line(const session::Identity& from, const session::RequestStarted&) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "status")
      .text("status", "requesting")
      .text("session_id", from.session_id())
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TitleChanged& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "session_title_changed")
      .text("title", event.title)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::RequestRetried& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "api_retry")
      .number("attempt", std::int64_t{event.retry.attempt})
      .number("max_retries", std::int64_t{event.retry.max_retries})
      .number("retry_delay_ms", std::int64_t{event.retry.pause.count()});
  if (event.retry.failure.status == 0) {
    writer.raw("error_status", "null");
  } else {
    writer.number("error_status", std::int64_t{event.retry.failure.status});
  }
  writer.text("error", to_string(api::error_name(event.retry.failure)));
  using enum api::FailureKind;
  if (event.retry.failure.kind == connection || event.retry.failure.kind == timed_out) {
    writer.text("error_message", event.retry.failure.message);
  }
  writer.text("session_id", from.session_id()).text("uuid", make_uuid()).close();
  return out;
}

std::string line(const session::Identity& from, const session::ThinkingProgress& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "thinking_tokens")
      .number("estimated_tokens", event.total)
      .number("estimated_tokens_delta", event.delta)
      .text("session_id", from.session_id())
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::ModelChanged& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "model_fallback")
      .text("uuid", make_uuid())
      .text("trigger", "overloaded")
      .text("original_model", event.from)
      .text("fallback_model", event.to)
      .text("content", event.reason)
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::Notice& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "informational")
      .text("content", event.text)
      .text("level", "notice")
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::ReplyRefused& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "model_refusal_no_fallback")
      .text("uuid", make_uuid())
      .text("original_model", event.model)
      .text("request_id", event.reply.request_id)
      .raw("api_refusal_category", "null")
      .raw("api_refusal_explanation", "null")
      .text("refused_user_message_uuid", event.user_uuid)
      .text("content", "")
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TranscriptLost& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "session_writes_lost")
      .text("content", event.why)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::ReplyBlock& event) {
  const auto stop_reason = event.reply.streamed ? api::ReplyStop() : event.reply.stop_reason;
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "assistant")
      .raw("message",
           session::message_json(event.reply, event.block, stop_reason,
                                 event.reply.streamed ? event.reply.usage_at_start
                                                      : session::usage_json(event.reply.usage)))
      .raw("parent_tool_use_id", parent_json(from))
      .text("session_id", from.session_id())
      .text("uuid", event.extras.uuid)
      .text("timestamp", iso_utc(now_utc()));
  if (!event.reply.request_id.empty()) writer.text("request_id", event.reply.request_id);
  if (event.extras.aborted) writer.boolean("aborted", true);
  if (event.extras.thinking_duration) {
    writer.number("thinking_duration_ms", std::int64_t{event.extras.thinking_duration->count()});
    if (!event.extras.thinking_display.empty())
      writer.text("thinking_display", event.extras.thinking_display);
  }
  if (!event.extras.supersedes.empty())
    writer.raw("supersedes", session::string_array(event.extras.supersedes));
  add_answers(writer, event.extras.answers);
  add_agent(writer, from);
  writer.close();
  return out;
}

std::string line(const session::Identity& from, const session::ErrorReply& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "assistant")
      .raw("message", session::api_error_message(event.facts))
      .raw("parent_tool_use_id", parent_json(from))
      .text("session_id", from.session_id())
      .text("uuid", event.facts.uuid.empty() ? make_uuid() : event.facts.uuid)
      .text("timestamp", iso_utc(now_utc()))
      .text("error", to_string(event.facts.error));
  if (!event.facts.request_id.empty()) writer.text("request_id", event.facts.request_id);
  writer.boolean("is_api_error_message", true);
  if (event.facts.status) writer.number("api_error_status", std::int64_t{*event.facts.status});
  if (!event.facts.type.empty()) writer.text("api_error_type", event.facts.type);
  if (event.facts.api_error != session::ApiErrorCode::none) {
    writer.text("api_error", to_string(event.facts.api_error));
  }
  if (!event.facts.params.empty()) writer.raw("api_error_params", event.facts.params);
  if (event.facts.resets_at) writer.number("resets_at", *event.facts.resets_at);
  if (!event.facts.refused_message_id.empty()) {
    writer.text("refused_message_id", event.facts.refused_message_id);
  }
  writer.close();
  return out;
}

namespace {

constexpr Words<session::CallDecision::Source, 4> kSources{
    {"config", "user_temporary", "user_permanent", "user_reject"}};

std::string meta_json(const session::CallMeta& call) {
  using Kind = session::CallDecision::Kind;
  const auto& [kind, source, reason] = call.decision;
  std::string out, decision;
  ObjectWriter writer(out);
  writer.text("id", call.id);
  if (kind != Kind::accepted) {
    writer.text("non_execution_kind",
                kind == Kind::denied_by_rule ? "permission-rule" : "user-rejected");
  }
  if (kind == Kind::interrupted) {
    writer.close();
    return out;
  }
  ObjectWriter decided(decision);
  decided.text("decision", kind == Kind::accepted ? "accept" : "reject")
      .text("source", kSources.of(source));
  if (kind != Kind::denied_by_user && reason != permission::Reason::none) {
    decided.text("reason_type", to_string(reason));
  }
  decided.close();
  writer.raw("permission_decision", decision).close();
  return out;
}

}  // namespace

std::string line(const session::Identity& from, const session::UserInput& event) {
  std::string message;
  ObjectWriter(message).text("role", "user").raw("content", event.content).close();
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "user")
      .raw("message", message)
      .raw("parent_tool_use_id", parent_json(from))
      .text("session_id", from.session_id())
      .text("uuid", event.extras.uuid)
      .text("timestamp", iso_utc(now_utc()));
  if (!event.extras.tool_use_result.empty())
    writer.raw("tool_use_result", event.extras.tool_use_result);
  if (event.extras.call) writer.raw("tool_result_meta", "[" + meta_json(*event.extras.call) + "]");
  if (event.extras.synthetic) writer.boolean("isSynthetic", true);
  if (event.extras.replay) writer.boolean("isReplay", *event.extras.replay);
  if (!event.extras.retracted.empty()) {
    writer.raw("retracted_message_uuids", session::string_array(event.extras.retracted));
  }
  if (!event.extras.refused_message_id.empty()) {
    writer.text("refused_message_id", event.extras.refused_message_id);
  }
  add_agent(writer, from);
  writer.close();
  return out;
}

std::string line(const session::Identity& from, const session::ReplyProgress& event) {
  std::string out;
  out.reserve(event.event.size() + 320);
  out.append(R"({"type":"stream_event","event":)").append(event.event);
  out.append(R"(,"session_id":)");
  json::append_string(out, from.session_id());
  out.append(R"(,"parent_tool_use_id":)").append(parent_json(from));
  out.append(R"(,"uuid":")").append(make_uuid()).append("\"");
  if (event.time_to_first_token) {
    out.append(R"(,"ttft_ms":)").append(std::to_string(event.time_to_first_token->count()));
  }
  if (!event.thinking_display.empty()) {
    out.append(R"(,"thinking_display":)");
    json::append_string(out, event.thinking_display);
  }
  if (event.abandoned_from) {
    out.append(R"(,"abandoned_blocks":)");
    ObjectWriter(out)
        .text("api_message_id", event.message_id)
        .number("from_block_index", static_cast<std::int64_t>(*event.abandoned_from))
        .close();
  }
  out.append(R"(,"api_message_id":)");
  json::append_string(out, event.message_id);
  return out += '}';
}

}  // namespace ralph::wire

#include "agent/session/events.h"
#include "agent/settings/claude_version.h"

#include "agent/session/text.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

using json::ObjectWriter;

ObjectWriter& text_or_null(ObjectWriter& writer, std::string_view key, std::string_view text) {
  return text.empty() ? writer.raw(key, "null") : writer.text(key, text);
}

void add_answers(ObjectWriter& writer, const MessageIds& answers) {
  if (answers.empty()) return;
  writer.text("user_message_uuid", answers.back()).raw("user_message_uuids", string_array(answers));
}

std::string now() { return iso_utc(now_utc()); }

/// Of an answer no model gave.
constexpr std::string_view kNoUsage =
    R"({"output_tokens_details":null,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,)"
    R"("cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},)"
    R"("service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},)"
    R"("inference_geo":null,"iterations":null,"speed":null,"fallback_credit":null})";

/// Nobody is asked to help: there are no subagents.
constexpr std::string_view kNoSubagents =
    R"({"spawned":0,"requested":{"background":0,"foreground":0,"unset":0},"started_in_background":0,)"
    R"("max_depth":0,"spawned_by_subagents":0,"completed":0,"failed":0,)"
    R"("killed":{"parent":0,"user":0,"system":0},)"
    R"("refused":{"depth_limit":0,"concurrency_limit":0,"budget":0},"by_type":{}})";

void add_duration(ObjectWriter& writer, std::string_view key, const std::optional<Millis>& time) {
  if (time) writer.number(key, std::int64_t{time->count()});
}

}  // namespace

std::string message_json(const api::Reply& reply, std::string_view block,
                         std::string_view stop_reason, std::string_view usage) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("id", reply.id)
      .text("type", "message")
      .text("role", "assistant")
      .text("model", reply.model)
      .raw("content", "[" + std::string(block) + "]");
  text_or_null(writer, "stop_reason", stop_reason);
  text_or_null(writer, "stop_sequence", stop_reason.empty() ? "" : reply.stop_sequence);
  writer.raw("usage", usage).raw("context_management", "null").close();
  return out;
}

std::string EventMaker::init(const InitFacts& facts, const MessageIds& answers) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "init")
      .text("cwd", facts.cwd)
      .text("session_id", session_id_)
      .raw("tools", string_array(facts.tools))
      .raw("mcp_servers", "[]")
      .text("model", facts.model)
      .text("permissionMode", facts.permission_mode)
      .raw("slash_commands", string_array(facts.slash_commands))
      .raw("terminal_slash_commands", "[]")
      .text("apiKeySource", facts.key_source)
      .text("claude_code_version", settings::kClaudeVersion)
      .text("output_style", "default")
      .raw("agents", "[]")
      .raw("skills", string_array(facts.skills))
      .raw("plugins", "[]")
      .raw("capabilities", R"(["interrupt_receipt_v1"])")
      .boolean("analytics_disabled", true)
      .boolean("product_feedback_disabled", true)
      .text("uuid", make_uuid())
      .text("original_cwd", facts.cwd)
      .raw("additional_directories", string_array(facts.add_dirs))
      .text("fast_mode_state", "off")
      .text("view_mode", "default");
  if (!answers.empty()) writer.raw("user_message_uuids", string_array(answers));
  writer.close();
  return out;
}

std::string EventMaker::requesting() const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "status")
      .text("status", "requesting")
      .text("session_id", session_id_)
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string EventMaker::title_changed(std::string_view title) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "session_title_changed")
      .text("title", title)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::api_retry(const api::Retry& retry) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "api_retry")
      .number("attempt", std::int64_t{retry.attempt})
      .number("max_retries", std::int64_t{retry.max_retries})
      .number("retry_delay_ms", std::int64_t{retry.pause.count()});
  if (retry.failure.status == 0) {
    writer.raw("error_status", "null");
  } else {
    writer.number("error_status", std::int64_t{retry.failure.status});
  }
  writer.text("error", api::event_name(retry.failure));
  using enum api::FailureKind;
  if (retry.failure.kind == connection || retry.failure.kind == timed_out) {
    writer.text("error_message", retry.failure.message);
  }
  writer.text("session_id", session_id_).text("uuid", make_uuid()).close();
  return out;
}

std::string EventMaker::thinking_tokens(std::int64_t total, std::int64_t delta) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "thinking_tokens")
      .number("estimated_tokens", total)
      .number("estimated_tokens_delta", delta)
      .text("session_id", session_id_)
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string EventMaker::model_fallback(std::string_view from, std::string_view to,
                                       std::string_view content) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "model_fallback")
      .text("uuid", make_uuid())
      .text("trigger", "overloaded")
      .text("original_model", from)
      .text("fallback_model", to)
      .text("content", content)
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::informational(std::string_view content) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "informational")
      .text("content", content)
      .text("level", "notice")
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::refused(std::string_view model, const api::Reply& reply,
                                std::string_view user_uuid) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "model_refusal_no_fallback")
      .text("uuid", make_uuid())
      .text("original_model", model)
      .text("request_id", reply.request_id)
      .raw("api_refusal_category", "null")
      .raw("api_refusal_explanation", "null")
      .text("refused_user_message_uuid", user_uuid)
      .text("content", "")
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::writes_lost(std::string_view why) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "session_writes_lost")
      .text("content", why)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::assistant(const api::Reply& reply, std::string_view block,
                                  const AssistantExtras& extras) const {
  const auto stop_reason = reply.streamed ? std::string_view() : reply.stop_reason;
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "assistant")
      .raw("message", message_json(reply, block, stop_reason,
                                   reply.streamed ? reply.usage_at_start : usage_json(reply.usage)))
      .raw("parent_tool_use_id", "null")
      .text("session_id", session_id_)
      .text("uuid", extras.uuid)
      .text("timestamp", now());
  if (!reply.request_id.empty()) writer.text("request_id", reply.request_id);
  if (extras.aborted) writer.boolean("aborted", true);
  if (extras.thinking_duration) {
    writer.number("thinking_duration_ms", std::int64_t{extras.thinking_duration->count()});
    if (!extras.thinking_display.empty()) writer.text("thinking_display", extras.thinking_display);
  }
  if (!extras.supersedes.empty()) writer.raw("supersedes", string_array(extras.supersedes));
  add_answers(writer, extras.answers);
  writer.close();
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
      .text("stop_reason", facts.stop_reason)
      .raw("stop_sequence", facts.stop_reason == "tool_use" ? "null" : R"("")")
      .text("type", "message")
      .raw("usage", kNoUsage)
      .raw("content", "[" + block + "]")
      .raw("context_management", "null")
      .close();
  return message;
}

std::string EventMaker::api_error(const ApiErrorFacts& facts) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "assistant")
      .raw("message", api_error_message(facts))
      .raw("parent_tool_use_id", "null")
      .text("session_id", session_id_)
      .text("uuid", facts.uuid.empty() ? make_uuid() : facts.uuid)
      .text("timestamp", now())
      .text("error", facts.error);
  if (!facts.request_id.empty()) writer.text("request_id", facts.request_id);
  writer.boolean("is_api_error_message", true);
  if (facts.status) writer.number("api_error_status", std::int64_t{*facts.status});
  if (!facts.type.empty()) writer.text("api_error_type", facts.type);
  if (!facts.api_error.empty()) writer.text("api_error", facts.api_error);
  if (!facts.params.empty()) writer.raw("api_error_params", facts.params);
  if (facts.resets_at) writer.number("resets_at", *facts.resets_at);
  if (!facts.refused_message_id.empty()) {
    writer.text("refused_message_id", facts.refused_message_id);
  }
  writer.close();
  return out;
}

std::string EventMaker::user(std::string_view content, const UserExtras& extras) const {
  std::string message;
  ObjectWriter(message).text("role", "user").raw("content", content).close();
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "user")
      .raw("message", message)
      .raw("parent_tool_use_id", "null")
      .text("session_id", session_id_)
      .text("uuid", extras.uuid)
      .text("timestamp", now());
  if (!extras.tool_use_result.empty()) writer.raw("tool_use_result", extras.tool_use_result);
  if (!extras.tool_result_meta.empty()) writer.raw("tool_result_meta", extras.tool_result_meta);
  if (extras.synthetic) writer.boolean("isSynthetic", true);
  if (extras.replay) writer.boolean("isReplay", *extras.replay);
  if (!extras.retracted.empty()) {
    writer.raw("retracted_message_uuids", string_array(extras.retracted));
  }
  if (!extras.refused_message_id.empty()) {
    writer.text("refused_message_id", extras.refused_message_id);
  }
  writer.close();
  return out;
}

std::string EventMaker::stream_event(std::string_view api_message_id, std::string_view event,
                                     std::string_view members) const {
  std::string out;
  out.reserve(event.size() + members.size() + 256);
  out.append(R"({"type":"stream_event","event":)").append(event);
  out.append(R"(,"session_id":)");
  json::append_string(out, session_id_);
  out.append(R"(,"parent_tool_use_id":null,"uuid":")").append(make_uuid()).append("\"");
  out.append(members).append(R"(,"api_message_id":)");
  json::append_string(out, api_message_id);
  return out += '}';
}

std::string EventMaker::command_lifecycle(std::string_view message_uuid,
                                          std::string_view state) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "command_lifecycle")
      .text("command_uuid", message_uuid)
      .text("state", state)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::result(const ResultFacts& facts, bool with_recent) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "result")
      .text("subtype", facts.subtype)
      .boolean("is_error", facts.is_error)
      .number("duration_ms", std::int64_t{facts.duration.count()})
      .number("duration_api_ms", std::int64_t{facts.api_duration.count()})
      .number("num_turns", facts.num_turns);
  if (facts.subtype == "success") {
    writer.text("result", facts.text);
  } else {
    writer.raw("errors", string_array(facts.errors));
  }
  text_or_null(writer, "stop_reason", facts.stop_reason);
  writer.text("session_id", session_id_)
      .number("total_cost_usd", facts.total_cost_usd)
      .raw("usage", usage_json(facts.usage))
      .raw("modelUsage", facts.model_usage)
      .raw("permission_denials", facts.denials);
  if (facts.structured_output) writer.raw("structured_output", *facts.structured_output);
  if (!facts.terminal_reason.empty()) writer.text("terminal_reason", facts.terminal_reason);
  const bool local = !facts.local_command.empty();
  if (local) writer.text("local_command", facts.local_command);
  if (facts.subtype == "success" && !local) {
    if (facts.api_error_status) {
      writer.number("api_error_status", std::int64_t{*facts.api_error_status});
    } else {
      writer.raw("api_error_status", "null");
    }
  }
  if (!facts.api_error_type.empty()) writer.text("api_error_type", facts.api_error_type);
  if (!facts.api_error.empty()) writer.text("api_error", facts.api_error);
  add_duration(writer, "ttft_ms", facts.to_first_token);
  add_duration(writer, "first_content_frame_ms", facts.to_first_token);
  add_duration(writer, "ttft_stream_ms", facts.to_stream);
  add_duration(writer, "time_to_request_ms", facts.to_request);
  // Without a turn there is nothing to say about it.
  if (!facts.terminal_reason.empty() || local) {
    writer.text("fast_mode_state", "off")
        .raw("subagent_stats", kNoSubagents)
        .number("safety_stops", facts.safety_stops)
        .number("queued_turn_count", std::int64_t{0});
  }
  writer.text("uuid", make_uuid()).number("result_index", facts.index);
  if (with_recent) writer.raw("model_usage_since_last_result", facts.recent_model_usage);
  if (facts.of_task) {
    writer.raw("origin", R"({"kind":"task-notification","producer":"session-task"})");
  }
  add_answers(writer, facts.answers);
  if (!facts.answers.empty() && facts.first_request) {
    writer.number("request_sent_wall_ms", facts.first_request->sent_ms)
        .number("first_request_input_tokens", facts.first_request->input_tokens)
        .number("first_request_cache_read_input_tokens", facts.first_request->cache_read_tokens);
  }
  writer.close();
  return out;
}

}  // namespace ralph::session

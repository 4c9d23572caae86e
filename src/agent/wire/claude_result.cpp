#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "agent/wire/claude_events.h"
#include "agent/wire/claude_json_impl.h"
#include "core/base/id.h"
#include "core/json/writer.h"
#include "core/model/model.h"

namespace ralph::wire {

using json::ObjectWriter;

namespace {

constexpr std::int64_t kUnknownMaxOutput = 32'000;

}  // namespace

std::string usage_by_model(const std::vector<session::ModelTotal>& totals) {
  const auto& known = model::Table::builtin();
  std::string all;
  ObjectWriter models(all);
  for (const auto& total : totals) {
    const auto* model = known.find(total.model);
    const bool priced = model != nullptr && !model->prices.empty();
    std::string one;
    ObjectWriter(one)
        .number("inputTokens", total.usage.input_tokens)
        .number("outputTokens", total.usage.output_tokens)
        .number("cacheReadInputTokens", total.usage.cache_read_input_tokens)
        .number("cacheCreationInputTokens", total.usage.cache_creation_input_tokens)
        .number("webSearchRequests", total.usage.web_search_requests)
        .number("costUSD", total.cost_usd)
        .number("contextWindow", known.context_window(total.model))
        .number("maxOutputTokens", model == nullptr ? kUnknownMaxOutput : model->max_output)
        .number("thinkingTokens", total.usage.thinking_tokens)
        .number("cacheCreationEphemeral5mInputTokens", total.usage.cache_creation_5m)
        .number("cacheCreationEphemeral1hInputTokens", total.usage.cache_creation_1h)
        .text("canonicalModel", model == nullptr ? total.model : model->id)
        .text("provider", "firstParty")
        .text("costBasis", priced ? "list" : "unknown")
        .close();
    models.raw(total.model, one);
  }
  models.close();
  return all;
}

namespace {

std::string denials_json(const std::vector<session::Denial>& denials) {
  std::string all = "[";
  for (const auto& denial : denials) {
    if (all.size() > 1) all += ',';
    ObjectWriter(all)
        .text("tool_name", denial.tool_name)
        .text("tool_use_id", denial.tool_use_id)
        .raw("tool_input", denial.tool_input)
        .close();
  }
  return all + "]";
}

std::string subagents_json(const session::SubagentStats& stats) {
  const auto object = [](std::initializer_list<std::pair<std::string_view, std::int64_t>> members) {
    std::string out;
    ObjectWriter writer(out);
    for (const auto& [key, value] : members) writer.number(key, value);
    writer.close();
    return out;
  };
  std::string types;
  ObjectWriter by_type(types);
  std::int64_t spawned = 0;
  for (const auto& [type, count] : stats.types) {
    by_type.number(type, count);
    spawned += count;
  }
  by_type.close();
  std::string out;
  ObjectWriter(out)
      .number("spawned", spawned)
      .raw("requested", object({{"background", stats.in_background},
                                {"foreground", stats.in_foreground},
                                {"unset", stats.unset}}))
      .number("started_in_background", stats.started_in_background)
      .number("max_depth", std::int64_t{spawned > 0 ? 1 : 0})
      .number("spawned_by_subagents", std::int64_t{0})
      .number("completed", stats.completed)
      .number("failed", stats.failed)
      .raw("killed", object({{"parent", stats.killed_by_parent},
                             {"user", stats.killed_by_user},
                             {"system", stats.killed_by_system}}))
      .raw("refused",
           object({{"depth_limit", 0}, {"concurrency_limit", stats.too_many}, {"budget", 0}}))
      .raw("by_type", types)
      .close();
  return out;
}

void add_duration(ObjectWriter& writer, std::string_view key, const std::optional<Millis>& time) {
  if (time) writer.number(key, std::int64_t{time->count()});
}

void add_outcome(ObjectWriter& writer, const session::TurnResult& result) {
  writer.text("subtype", to_string(result.subtype))
      .boolean("is_error", result.is_error)
      .number("duration_ms", std::int64_t{result.duration.count()})
      .number("duration_api_ms", std::int64_t{result.api_duration.count()})
      .number("num_turns", result.num_turns);
  if (result.subtype == session::ResultSubtype::success) {
    writer.text("result", result.text);
  } else {
    writer.raw("errors", session::string_array(result.errors));
  }
  if (result.stop_reason.reported()) {
    writer.text("stop_reason", result.stop_reason.word());
  } else {
    writer.raw("stop_reason", "null");
  }
}

void add_api_error(ObjectWriter& writer, const session::TurnResult& result) {
  if (result.subtype == session::ResultSubtype::success && result.local_command.empty()) {
    if (result.api_error_status) {
      writer.number("api_error_status", std::int64_t{*result.api_error_status});
    } else {
      writer.raw("api_error_status", "null");
    }
  }
  if (!result.api_error_type.empty()) writer.text("api_error_type", result.api_error_type);
  if (result.api_error != session::ApiErrorCode::none) {
    writer.text("api_error", to_string(result.api_error));
  }
}

void add_times(ObjectWriter& writer, const session::TurnResult& result) {
  add_duration(writer, "ttft_ms", result.to_first_token);
  add_duration(writer, "first_content_frame_ms", result.to_first_token);
  add_duration(writer, "ttft_stream_ms", result.to_stream);
  add_duration(writer, "time_to_request_ms", result.to_request);
}

void add_first_request(ObjectWriter& writer, const session::TurnResult& result) {
  if (result.answers.empty() || !result.first_request) return;
  writer.number("request_sent_wall_ms", result.first_request->sent_ms)
      .number("first_request_input_tokens", result.first_request->input_tokens)
      .number("first_request_cache_read_input_tokens", result.first_request->cache_read_tokens);
}

}  // namespace

std::string result_json(const session::Identity& from, const session::TurnResult& result,
                        bool with_recent) {
  const bool ended = result.terminal_reason != session::TerminalReason::none;
  const bool local = !result.local_command.empty();
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "result");
  add_outcome(writer, result);
  writer.text("session_id", from.session_id())
      .number("total_cost_usd", result.total_cost_usd)
      .raw("usage", session::usage_json(result.usage))
      .raw("modelUsage", usage_by_model(result.totals))
      .raw("permission_denials", denials_json(result.denials));
  if (result.structured_output) writer.raw("structured_output", *result.structured_output);
  if (ended) writer.text("terminal_reason", to_string(result.terminal_reason));
  if (local) writer.text("local_command", result.local_command);
  add_api_error(writer, result);
  add_times(writer, result);
  // Members that describe a turn.
  if (ended || local) {
    writer.text("fast_mode_state", "off")
        .raw("subagent_stats", subagents_json(result.subagents))
        .number("safety_stops", result.safety_stops)
        .number("queued_turn_count", std::int64_t{0});
  }
  writer.text("uuid", make_uuid()).number("result_index", result.index);
  if (with_recent)
    writer.raw("model_usage_since_last_result", usage_by_model(result.recent_totals));
  if (result.of_task) {
    writer.raw("origin", R"({"kind":"task-notification","producer":"session-task"})");
  }
  add_answers(writer, result.answers);
  add_first_request(writer, result);
  writer.close();
  return out;
}

}  // namespace ralph::wire

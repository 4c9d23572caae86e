#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/wire/claude_json_impl.h"
#include "agent/wire/control_requests_impl.h"
#include "core/base/time.h"

/// Requests about the tokens, the time and the money a session has used.
namespace ralph::wire {
namespace {

using json::Document;

constexpr int kGridSide = 10;

/// One part of the model's window.
struct Category {
  std::string_view id, name, color, kind;
  std::int64_t tokens;
};

struct ContextUsage {
  std::int64_t total = 0, window = 0, limit = 0;
  std::vector<Category> categories;
};

/// Only the total is counted by the API; its parts are estimates.
ContextUsage measure(const AgentParts& parts, const SessionReading& reading) {
  const auto [system, tools] = reading.fixed;
  const session::CompactPolicy policy(parts.setup.environment,
                                      parts.prepared.settings.auto_compact);
  ContextUsage usage;
  usage.window = model::Table::builtin().context_window(parts.prepared.choice->id());
  usage.limit = policy.automatic() ? policy.limit(usage.window) : usage.window;
  const auto fixed = system + tools;
  usage.total = std::max(reading.context_tokens, fixed);
  const auto free = std::max<std::int64_t>(0, usage.limit - usage.total);
  usage.categories = {
      {"system_prompt", "System prompt", "promptBorder", "used", system},
      {"system_tools", "System tools", "inactive", "used", tools},
      {"messages", "Messages", "purple_FOR_SUBAGENTS_ONLY", "used", usage.total - fixed},
      {"autocompact_buffer", "Autocompact buffer", "inactive", "buffer",
       usage.window - usage.limit},
      {"free_space", "Free space", "promptBorder", "free", free}};
  std::erase_if(usage.categories, [](const Category& each) { return each.tokens <= 0; });
  return usage;
}

std::int64_t percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? (part * 100 + whole / 2) / whole : 0;
}

/// The window as squares, each for the same number of tokens; what is free comes last.
Document grid(const ContextUsage& usage) {
  auto ordered = usage.categories;
  std::ranges::stable_partition(ordered, [](const Category& each) { return each.kind != "free"; });
  constexpr std::int64_t squares = std::int64_t{kGridSide} * kGridSide;
  auto rows = Document::array();
  std::int64_t end = 0;
  std::size_t at = 0;
  if (!ordered.empty()) end = ordered.front().tokens;
  for (std::int64_t square = 0; square < squares && !ordered.empty(); ++square) {
    const auto middle = usage.window * (2 * square + 1) / (2 * squares);
    while (at + 1 < ordered.size() && middle >= end) end += ordered[++at].tokens;
    const auto& category = ordered[at];
    if (square % kGridSide == 0) rows.push_back(Document::array());
    rows.back().push_back({{"color", category.color},
                           {"isFilled", category.kind != "free"},
                           {"categoryName", category.name},
                           {"tokens", category.tokens},
                           {"percentage", percent(category.tokens, usage.window)},
                           {"squareFullness", category.kind == "free" ? 0 : 1}});
  }
  return rows;
}

Document category_list(const ContextUsage& usage) {
  auto list = Document::array();
  for (const auto& each : usage.categories) {
    list.push_back({{"id", each.id},
                    {"name", each.name},
                    {"tokens", each.tokens},
                    {"color", each.color},
                    {"kind", each.kind}});
  }
  return list;
}

Document api_usage(const std::optional<api::Usage>& usage) {
  if (!usage) return nullptr;
  return {{"input_tokens", usage->input_tokens},
          {"output_tokens", usage->output_tokens},
          {"cache_creation_input_tokens", usage->cache_creation_input_tokens},
          {"cache_read_input_tokens", usage->cache_read_input_tokens}};
}

Millis session_time(const AgentParts& parts) { return since(parts.began); }

std::string seconds(Millis time) {
  return fmt::format("{:.1f}s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

ControlReply serve_get_context_usage(AgentParts& parts, const Document&) {
  const auto reading = parts.meter.read();
  const auto usage = measure(parts, reading);
  const session::CompactPolicy policy(parts.setup.environment,
                                      parts.prepared.settings.auto_compact);
  Document payload{{"categories", category_list(usage)},
                   {"totalTokens", usage.total},
                   {"maxTokens", usage.window},
                   {"rawMaxTokens", usage.window},
                   {"percentage", percent(usage.total, usage.window)},
                   {"gridRows", grid(usage)},
                   {"model", parts.prepared.choice->id()},
                   {"memoryFiles", Document::array()},
                   {"mcpTools", Document::array()},
                   {"agents", Document::array()},
                   {"isAutoCompactEnabled", policy.automatic()},
                   {"apiUsage", api_usage(reading.last_request)}};
  if (policy.automatic()) payload["autoCompactThreshold"] = usage.limit;
  return success(std::move(payload));
}

ControlReply serve_get_session_cost(AgentParts& parts, const Document&) {
  const auto reading = parts.meter.read();
  auto text = fmt::format(
      "Total cost: ${:.4f}\nTotal duration (API): {}\nTotal duration (wall): {}\n"
      "Total code changes: {} lines added, {} lines removed",
      parts.ledger.cost_usd(), seconds(reading.api_time), seconds(session_time(parts)),
      reading.lines_added, reading.lines_removed);
  for (const auto& total : parts.ledger.totals()) {
    const auto& usage = total.usage;
    text += fmt::format("\n{}: {} input, {} output, {} cache read, {} cache write (${:.4f})",
                        total.model, usage.input_tokens, usage.output_tokens,
                        usage.cache_read_input_tokens, usage.cache_creation_input_tokens,
                        total.cost_usd);
  }
  return success({{"text", text}});
}

ControlReply serve_get_usage(AgentParts& parts, const Document&) {
  const auto reading = parts.meter.read();
  const auto models = json::parse(usage_by_model(parts.ledger.totals()));
  return success({{"session",
                   {{"total_cost_usd", parts.ledger.cost_usd()},
                    {"total_api_duration_ms", reading.api_time.count()},
                    {"total_duration_ms", session_time(parts).count()},
                    {"total_lines_added", reading.lines_added},
                    {"total_lines_removed", reading.lines_removed},
                    {"model_usage", models.value_or(Document::object())}}},
                  {"subscription_type", nullptr},
                  {"rate_limits_available", false},
                  {"rate_limits", nullptr},
                  {"behaviors", nullptr}});
}

}  // namespace ralph::wire

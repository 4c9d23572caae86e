#include "stream/summary.h"

#include <algorithm>
#include <array>

#include "json/raw.h"

namespace ralph::stream {
namespace {

constexpr std::size_t kKeptDenials = 1000;
constexpr std::size_t kKeptRequests = 1000;

/// Appends, and once it is twice too long keeps the end of it.
void append_bounded(std::string& kept, std::string_view more, std::size_t most) {
  kept += more;
  if (kept.size() <= 2 * most) return;
  std::size_t cut = kept.size() - most;
  while (cut < kept.size() && (static_cast<unsigned char>(kept[cut]) & 0xC0) == 0x80) ++cut;
  kept.erase(0, cut);
}

struct ReasonRow {
  std::string_view reason;
  ErrorClass error_class;
};
/// Ends that no error event announces.
constexpr std::array kReasons = std::to_array<ReasonRow>({
    {"max_turns", ErrorClass::limit},
    {"budget_exhausted", ErrorClass::limit},
    {"structured_output_retry_exhausted", ErrorClass::limit},
    {"prompt_too_long", ErrorClass::invalid_request},
    {"blocking_limit", ErrorClass::invalid_request},
});

}  // namespace

Summary::Summary(const model::Table& models, double known_total_usd)
    : models_(models), last_total_usd_(known_total_usd) {}

void Summary::on(const Event&, const SessionStarted& started) {
  session_id = started.session_id;
  model = started.model;
  agent_version = started.agent_version;
  cwd = started.cwd;
  permission_mode = started.permission_mode;
}

void Summary::on(const Event&, const TurnStarted&) { turn_open_ = true; }

void Summary::on(const Event& event, const Text& said) {
  if (said.delta || !event.parent.empty()) return;
  append_bounded(streamed_text, said.text, kKeptText);
}

void Summary::on(const Event&, const ToolCall&) { ++tool_calls; }

void Summary::on(const Event&, const ToolResult& result) {
  if (result.denied) note_denial({std::string(result.name), std::string(result.call_id), {}});
}

void Summary::on(const Event& event, const Usage& usage) {
  if (usage.scope == UsageScope::request) return note_request(event, usage);
  if (usage.context_window && (usage.model == model || !window_)) window_ = usage.context_window;
  if (usage.scope != UsageScope::turn) return;
  turn_usage_seen_ = true;
  reported_ += usage.tokens;
  const auto cost = usage.cost_usd ? usage.cost_usd : price(usage.model, usage.tokens);
  if (cost) reported_usd_ = reported_usd_.value_or(0) + *cost;
}

void Summary::note_request(const Event& event, const Usage& usage) {
  if (event.parent.empty() && usage.tokens.prompt() > 0) context_ = usage.tokens;
  const auto same = std::ranges::find(open_requests_, usage.message_id, &Request::message_id);
  if (same != open_requests_.end()) {
    same->tokens = usage.tokens;
  } else if (open_requests_.size() < kKeptRequests) {
    open_requests_.push_back(
        {std::string(usage.message_id), std::string(usage.model), usage.tokens});
  }
}

void Summary::on(const Event&, const Notice& notice) {
  if (notice.topic == "background_tasks") background_tasks = notice.value.value_or(0);
}

void Summary::on(const Event&, const Retry& retry) {
  error = LastError{retry.error_class, std::string(retry.message), retry.http_status, {}};
}

void Summary::on(const Event&, const ErrorEvent& failure) {
  if (failure.error_class == ErrorClass::permission) {
    note_denial({std::string(failure.tool), std::string(failure.call_id), {}});
    return;
  }
  error = LastError{failure.error_class, std::string(failure.message), failure.http_status,
                    failure.resets_at};
}

void Summary::on(const Event&, const TurnEnded& ended) {
  if (!turn_usage_seen_) {
    reported_ += ended.usage;
    if (ended.total_cost_usd) {
      reported_usd_ =
          reported_usd_.value_or(0) + std::max(0.0, *ended.total_cost_usd - last_total_usd_);
    }
  }
  if (ended.total_cost_usd) last_total_usd_ = *ended.total_cost_usd;
  turn_usage_seen_ = false;
  open_requests_.clear();
  turn_open_ = false;

  text = ended.text;
  structured = ended.structured.text;
  if (session_id.empty()) session_id = ended.session_id;
  turns += ended.turns;
  duration_ms += ended.duration_ms;
  note_error(ended);
  note_denials(ended.denials.text);
  ++result_count;
  if (results.size() == kKeptTurns) results.erase(results.begin());
  results.push_back({ended.is_error, std::string(ended.reason), std::string(ended.error),
                     std::string(ended.origin), ended.turns, ended.duration_ms});
}

void Summary::note_error(const TurnEnded& ended) {
  if (!ended.is_error) {
    error.reset();
    return;
  }
  const auto row = std::ranges::find(kReasons, ended.reason, &ReasonRow::reason);
  if (row != kReasons.end()) {
    error = LastError{row->error_class, std::string(ended.error), ended.http_status, {}};
  } else if (!error) {
    error = LastError{ErrorClass::unknown, std::string(ended.error), ended.http_status, {}};
  } else if (!ended.error.empty()) {
    error->message = ended.error;
  }
}

void Summary::note_denial(Denial denial) {
  const auto same = std::ranges::find(denials, denial.call_id, &Denial::call_id);
  if (same == denials.end()) {
    if (denials.size() < kKeptDenials) denials.push_back(std::move(denial));
    return;
  }
  if (same->tool.empty()) same->tool = std::move(denial.tool);
  if (same->input.empty()) same->input = std::move(denial.input);
}

void Summary::note_denials(std::string_view json) {
  if (json.empty()) return;
  for (std::size_t i = 0; i < kKeptDenials; ++i) {
    const auto entry = json::locate(json, {i});
    if (entry.empty()) return;
    const auto word = [&](std::string_view key) {
      auto value = json::locate(entry, {key});
      if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
      return std::string(value);
    };
    note_denial(
        {word("tool_name"), word("tool_use_id"), std::string(json::locate(entry, {"tool_input"}))});
  }
}

std::optional<double> Summary::price(std::string_view of_model, const Tokens& tokens) const {
  return models_.cost_usd(
      of_model, {tokens.input_uncached, tokens.output, tokens.cache_read, tokens.cache_write, 0});
}

Tokens Summary::usage() const {
  Tokens all = reported_;
  for (const auto& request : open_requests_) all += request.tokens;
  return all;
}

std::optional<double> Summary::cost_usd() const {
  auto cost = reported_usd_;
  for (const auto& request : open_requests_) {
    if (const auto more = price(request.model, request.tokens)) cost = cost.value_or(0) + *more;
  }
  return cost;
}

CostSource Summary::cost_source() const {
  if (reported_usd_) return CostSource::agent;
  return cost_usd() ? CostSource::price_table : CostSource::none;
}

std::optional<int> Summary::context_percent() const {
  if (context_.prompt() == 0) return std::nullopt;
  const auto window = window_.value_or(models_.context_window(model));
  if (window <= 0) return std::nullopt;
  return static_cast<int>((context_.prompt() * 100 + window / 2) / window);
}

}  // namespace ralph::stream

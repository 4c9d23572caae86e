#include "stream/summary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "json/raw.h"
#include "json/writer.h"

namespace ralph::stream {
namespace {

constexpr std::size_t kKeptDenials = 1000;
constexpr std::size_t kKeptRequests = 100;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLongestMessage = std::size_t{64} << 10;
constexpr std::size_t kLongestNote = std::size_t{4} << 10;

/// Appends, and once it is twice too long keeps the end of it.
void append_bounded(std::string& kept, std::string_view more, std::size_t most) {
  kept += more;
  if (kept.size() <= 2 * most) return;
  std::size_t cut = kept.size() - most;
  while (cut < kept.size() && (static_cast<unsigned char>(kept[cut]) & 0xC0) == 0x80) ++cut;
  kept.erase(0, cut);
}

std::string cut(std::string_view text, std::size_t most) {
  return std::string(utf8::prefix(text, most));
}

void add(std::optional<double>& sum, std::optional<double> more) {
  if (more) sum = sum.value_or(0) + *more;
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
    : models_(&models), last_total_usd_(known_total_usd) {}

void Summary::on(const Event&, const SessionStarted& started) {
  session_id = cut(started.session_id, kLongestName);
  model = cut(started.model, kLongestName);
  agent_version = cut(started.agent_version, kLongestName);
  cwd = cut(started.cwd, kLongestNote);
  permission_mode = cut(started.permission_mode, kLongestName);
}

void Summary::on(const Event&, const TurnStarted&) { turn_open_ = true; }

void Summary::on(const Event& event, const Text& said) {
  if (said.delta || !event.parent.empty()) return;
  forget_retry();
  if (!streamed_text.empty() && !streamed_text.ends_with('\n')) streamed_text += '\n';
  append_bounded(streamed_text, said.text, kKeptText);
}

void Summary::on(const Event& event, const ToolCall&) {
  ++tool_calls;
  if (event.parent.empty()) forget_retry();
}

void Summary::on(const Event&, const ToolResult& result) {
  if (result.denied)
    note_denial({cut(result.name, kLongestName), cut(result.call_id, kLongestName), {}});
}

void Summary::on(const Event& event, const Usage& usage) {
  if (usage.scope == UsageScope::request) return note_request(event, usage);
  if (usage.context_window && (usage.model == model || !window_)) window_ = usage.context_window;
  if (usage.scope != UsageScope::turn) return;
  turn_usage_seen_ = true;
  this_turn_ += usage.tokens;
  add(reported_usd_, usage.cost_usd ? usage.cost_usd : price(usage.model, usage.tokens));
}

void Summary::note_request(const Event& event, const Usage& usage) {
  if (event.parent.empty()) {
    forget_retry();
    if (usage.tokens.prompt() > 0) context_ = usage.tokens;
  }
  const auto id = cut(usage.message_id, kLongestName);
  const auto same = std::ranges::find(open_requests_, id, &Request::message_id);
  if (same != open_requests_.end()) {
    same->tokens = usage.tokens;
    return;
  }
  if (open_requests_.size() == kKeptRequests) fold_oldest_request();
  open_requests_.push_back({id, cut(usage.model, kLongestName), usage.tokens});
}

void Summary::fold_oldest_request() {
  const auto& oldest = open_requests_.front();
  older_requests_ += oldest.tokens;
  add(older_requests_usd_, price(oldest.model, oldest.tokens));
  open_requests_.erase(open_requests_.begin());
}

/// The agent goes on: the request that failed was repeated with success.
void Summary::forget_retry() {
  if (error_is_retry_) error.reset();
  error_is_retry_ = false;
}

void Summary::on(const Event&, const Notice& notice) {
  if (notice.topic == "background_tasks") background_tasks = notice.value.value_or(0);
}

void Summary::on(const Event&, const Retry& retry) {
  error = LastError{retry.error_class, cut(retry.message, kLongestMessage), retry.http_status, {}};
  error_is_retry_ = true;
}

void Summary::on(const Event&, const ErrorEvent& failure) {
  if (failure.error_class == ErrorClass::permission) {
    note_denial({cut(failure.tool, kLongestName), cut(failure.call_id, kLongestName), {}});
    return;
  }
  error = LastError{failure.error_class, cut(failure.message, kLongestMessage), failure.http_status,
                    failure.resets_at};
  error_is_retry_ = false;
}

void Summary::on(const Event&, const TurnEnded& ended) {
  if (!turn_usage_seen_) {
    this_turn_ = ended.usage;
    if (ended.total_cost_usd) {
      add(reported_usd_, std::max(0.0, *ended.total_cost_usd - last_total_usd_));
    }
  }
  if (ended.total_cost_usd) last_total_usd_ = *ended.total_cost_usd;
  reported_ += this_turn_;
  last_turn_ = std::exchange(this_turn_, {});
  turn_usage_seen_ = false;
  open_requests_.clear();
  older_requests_ = {};
  older_requests_usd_.reset();
  turn_open_ = false;

  const bool asked_for = ended.origin.empty();
  if (asked_for || !ended.text.empty()) text = ended.text;
  if (asked_for || !ended.structured.text.empty()) structured = ended.structured.text;
  if (session_id.empty()) session_id = cut(ended.session_id, kLongestName);
  turns += ended.turns;
  duration_ms += ended.duration_ms;
  note_error(ended);
  note_denials(ended.denials.text);
  ++result_count;
  if (results.size() == kKeptTurns) results.erase(results.begin());
  results.push_back({ended.is_error, cut(ended.reason, kLongestName),
                     cut(ended.error, kLongestNote), cut(ended.origin, kLongestName), ended.turns,
                     ended.duration_ms});
}

void Summary::note_error(const TurnEnded& ended) {
  error_is_retry_ = false;
  if (!ended.is_error) {
    error.reset();
    return;
  }
  const auto message = cut(ended.error, kLongestMessage);
  const auto row = std::ranges::find(kReasons, ended.reason, &ReasonRow::reason);
  if (row != kReasons.end()) {
    error = LastError{row->error_class, message, ended.http_status, {}};
  } else if (!error) {
    error = LastError{ErrorClass::unknown, message, ended.http_status, {}};
  } else if (!message.empty()) {
    error->message = message;
  }
}

void Summary::note_denial(Denial denial) {
  const auto same = std::ranges::find(denials, denial.call_id, &Denial::call_id);
  if (same == denials.end()) {
    ++denial_count;
    if (denials.size() < kKeptDenials) denials.push_back(std::move(denial));
    return;
  }
  if (same->tool.empty()) same->tool = std::move(denial.tool);
  if (same->input.empty()) same->input = std::move(denial.input);
}

void Summary::note_denials(std::string_view json) {
  json::Elements elements(json);
  for (std::size_t i = 0; i < kKeptDenials; ++i) {
    const auto entry = elements.start(i);
    if (entry.empty()) return;
    const auto word = [&](std::string_view key) {
      auto value = json::locate(entry, {key});
      if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
      return cut(value, kLongestName);
    };
    note_denial({word("tool_name"), word("tool_use_id"),
                 cut(json::locate(entry, {"tool_input"}), kLongestMessage)});
  }
}

std::optional<double> Summary::price(std::string_view of_model, const Tokens& tokens) const {
  return models_->cost_usd(
      of_model, {tokens.input_uncached, tokens.output, tokens.cache_read, tokens.cache_write, 0});
}

void Summary::next_attempt() {
  Summary next(*models_, last_total_usd_);
  next.reported_ = usage();
  next.reported_usd_ = cost_usd();
  *this = std::move(next);
}

std::string Summary::denials_json() const {
  std::string out = "[";
  for (const auto& denial : denials) {
    if (out.size() > 1) out += ',';
    json::ObjectWriter writer(out);
    writer.text("tool", denial.tool).text("call_id", denial.call_id);
    const bool whole = denial.input.size() + 4 < kLongestMessage;
    if (!denial.input.empty() && whole) writer.raw("input", denial.input);
    writer.close();
  }
  return out + "]";
}

Tokens Summary::usage() const {
  Tokens all = reported_;
  all += this_turn_;
  if (turn_usage_seen_) return all;
  all += older_requests_;
  for (const auto& request : open_requests_) all += request.tokens;
  return all;
}

std::optional<double> Summary::cost_usd() const {
  auto cost = reported_usd_;
  if (turn_usage_seen_) return cost;
  add(cost, older_requests_usd_);
  for (const auto& request : open_requests_) add(cost, price(request.model, request.tokens));
  return cost;
}

CostSource Summary::cost_source() const {
  if (reported_usd_) return CostSource::agent;
  return cost_usd() ? CostSource::price_table : CostSource::none;
}

std::optional<int> Summary::context_percent() const {
  if (context_.prompt() == 0) return std::nullopt;
  const auto window = window_.value_or(models_->context_window(model));
  if (window <= 0) return std::nullopt;
  return static_cast<int>((context_.prompt() * 100 + window / 2) / window);
}

}  // namespace ralph::stream

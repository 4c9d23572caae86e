#include "harness/stream/summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/money.h"
#include "core/base/utf8.h"
#include "core/json/raw.h"
#include "core/json/writer.h"

namespace ralph::stream {
namespace {

constexpr std::size_t kKeptDenials = 1000;
constexpr std::size_t kKeptRequests = 100;
constexpr std::size_t kLongestSummaryName = 256;
constexpr std::size_t kLongestMessage = std::size_t{64} << 10;
constexpr std::size_t kLongestNote = std::size_t{4} << 10;
constexpr std::int64_t kMostCounted = 1'000'000'000'000'000;  // tokens, turns, milliseconds
constexpr double kMostUsd = 1e6;
constexpr std::int64_t kMostPercent = 999;

/// Appends, and once it is twice too long keeps the end of it.
void append_bounded(std::string& kept, std::string_view more, std::size_t most) {
  kept += more;
  if (kept.size() > 2 * most) kept = std::string(utf8::suffix(kept, most));
}

std::string cut(std::string_view text, std::size_t most) {
  return std::string(utf8::prefix(text, most));
}

std::int64_t clamp_plausible(std::int64_t count) {
  return std::clamp<std::int64_t>(count, 0, kMostCounted);
}

Tokens clamp_plausible(const Tokens& tokens) {
  return {clamp_plausible(tokens.input_uncached), clamp_plausible(tokens.cache_read),
          clamp_plausible(tokens.cache_write), clamp_plausible(tokens.output),
          clamp_plausible(tokens.reasoning)};
}

std::optional<double> plausible_cost(std::optional<double> usd) {
  const bool fits = usd && std::isfinite(*usd) && *usd >= 0 && *usd <= kMostUsd;
  return fits ? usd : std::nullopt;
}

void add(std::int64_t& sum, std::int64_t more) {
  sum = clamp_plausible(sum + clamp_plausible(more));
}

void add(Tokens& sum, const Tokens& more) {
  sum += clamp_plausible(more);
  sum = clamp_plausible(sum);
}

void add(std::optional<double>& sum, std::optional<double> more) {
  if (more) sum = sum.value_or(0) + *more;
}

/// The class of an end that no error event announces; none: the HTTP status or an earlier error
/// event decides.
std::optional<ErrorClass> class_of_end(TurnEndReason reason) {
  switch (reason) {
    case TurnEndReason::max_turns:
    case TurnEndReason::cost_limit:
    case TurnEndReason::invalid_output: return ErrorClass::limit;
    case TurnEndReason::context_full: return ErrorClass::invalid_request;
    case TurnEndReason::other: break;
  }
  return std::nullopt;
}

}  // namespace

Summary::Summary(const model::Table& models, double known_total_usd)
    : models_(&models), last_total_usd_(plausible_cost(known_total_usd).value_or(0)) {}

void Summary::know_total(double usd) { last_total_usd_ = plausible_cost(usd).value_or(0); }

/// What a dialect makes of the program's end comes from no line, and is the agent's all the same.
void Summary::on_any(const Event& event) {
  if (event.line >= 0 || std::holds_alternative<TurnEnded>(event.what)) any_event_ = true;
}

void Summary::on(const Event&, const SessionStarted& started) {
  session_id = cut(started.session_id, kLongestSummaryName);
  model = cut(started.model, kLongestSummaryName);
  agent_version = cut(started.agent_version, kLongestSummaryName);
  cwd = cut(started.cwd, kLongestNote);
  permission_mode = cut(started.permission_mode, kLongestSummaryName);
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
    note_denial(
        {cut(result.name, kLongestSummaryName), cut(result.call_id, kLongestSummaryName), {}});
}

void Summary::on(const Event& event, const Usage& usage) {
  const bool used = usage.tokens.has_prompt() || usage.tokens.output != 0;
  if (used && !knows_price_of(usage.model)) unpriced_model = cut(usage.model, kLongestSummaryName);
  if (usage.scope == UsageScope::request) return note_request(event, usage);
  const bool has_window = usage.context_window.value_or(0) > 0;
  if (has_window && (usage.model == model || !window_)) window_ = usage.context_window;
  if (usage.scope != UsageScope::turn) return;
  turn_usage_seen_ = true;
  add(this_turn_, usage.tokens);
  const auto cost = plausible_cost(usage.cost_usd);
  add(reported_usd_, cost ? cost : price(usage.model, usage.tokens));
}

void Summary::note_request(const Event& event, const Usage& usage) {
  const auto tokens = clamp_plausible(usage.tokens);
  if (event.parent.empty()) {
    forget_retry();
    if (tokens.prompt() > 0) context_ = tokens;
  }
  const auto id = cut(usage.message_id, kLongestSummaryName);
  const auto same = std::ranges::find(open_requests_, id, &Request::message_id);
  if (same != open_requests_.end()) {
    same->tokens = tokens;
    same->partial = usage.partial;
    return;
  }
  if (open_requests_.size() == kKeptRequests) fold_oldest_request();
  open_requests_.push_back({id, cut(usage.model, kLongestSummaryName), tokens, usage.partial});
}

void Summary::fold_oldest_request() {
  const auto& oldest = open_requests_.front();
  add(older_requests_, oldest.tokens);
  add(older_requests_usd_, price(oldest.model, oldest.tokens));
  older_requests_partial_ = older_requests_partial_ || oldest.partial;
  open_requests_.erase(open_requests_.begin());
}

/// The agent goes on: the request that failed was repeated with success.
void Summary::forget_retry() {
  if (error_is_retry_) error.reset();
  error_is_retry_ = false;
}

void Summary::on(const Event&, const Notice& notice) {
  if (notice.topic == kBackgroundTasks)
    background_tasks = clamp_plausible(notice.value.value_or(0));
}

void Summary::on(const Event&, const Retry& retry) {
  note_error({retry.error_class, cut(retry.message, kLongestMessage), retry.http_status, {}});
  error_is_retry_ = true;
}

void Summary::on(const Event&, const ErrorEvent& failure) {
  if (failure.error_class == ErrorClass::permission) {
    note_denial(
        {cut(failure.tool, kLongestSummaryName), cut(failure.call_id, kLongestSummaryName), {}});
    return;
  }
  note_error({failure.error_class, cut(failure.message, kLongestMessage), failure.http_status,
              failure.resets_at, failure.says_remedy});
  error_is_retry_ = false;
}

/// Versions of one agent differ: the total is that of the session, or of the process only. The price of
/// this run's tokens decides.
bool Summary::lacks_earlier_runs(double total_usd, const TurnEnded& ended) const {
  if (total_usd < last_total_usd_) return true;
  const auto requests = open_requests_usd().value_or(0);
  const auto turn = price(model, ended.usage).value_or(0);
  return total_usd - std::max(requests, turn) < last_total_usd_ / 2;
}

void Summary::on(const Event&, const TurnEnded& ended) {
  const auto total_usd = plausible_cost(ended.total_cost_usd);
  if (!turn_usage_seen_) {
    const bool first_total = total_usd && !std::exchange(total_seen_, true);
    if (first_total && lacks_earlier_runs(*total_usd, ended))
      earlier_runs_usd_ = std::exchange(last_total_usd_, 0);
    this_turn_ = clamp_plausible(ended.usage);
    if (total_usd) add(reported_usd_, std::max(0.0, *total_usd - last_total_usd_));
  }
  last_total_usd_ = total_usd.value_or(last_total_usd_);
  add(reported_, this_turn_);
  last_turn_ = std::exchange(this_turn_, {});
  turn_usage_seen_ = false;
  open_requests_.clear();
  older_requests_ = {};
  older_requests_usd_.reset();
  older_requests_partial_ = false;
  turn_open_ = false;

  const bool asked_for = ended.origin.empty();
  if (asked_for || !ended.text.empty()) text = ended.text;
  if (asked_for || !ended.structured.text.empty()) structured = ended.structured.text;
  if (session_id.empty()) session_id = cut(ended.session_id, kLongestSummaryName);
  add(turns, ended.turns);
  add(duration_ms, ended.duration_ms);
  note_end(ended);
  note_denials(ended.denials.text);
  ++result_count;
  if (results.size() == kKeptTurns) results.erase(results.begin());
  results.push_back({ended.is_error, ended.end, cut(ended.reason, kLongestSummaryName),
                     cut(ended.error, kLongestNote), cut(ended.origin, kLongestSummaryName),
                     clamp_plausible(ended.turns), clamp_plausible(ended.duration_ms)});
}

/// Only one of several reports of the same failure may say when a limit resets.
void Summary::note_error(LastError latest) {
  const bool same_failure = error && error->error_class == latest.error_class;
  if (same_failure && !latest.resets_at) latest.resets_at = error->resets_at;
  error = std::move(latest);
}

/// An error event explains the failure better than the result's HTTP status does, unless it was
/// about a request before.
void Summary::note_end(const TurnEnded& ended) {
  const bool retried = std::exchange(error_is_retry_, false);
  const bool other_request =
      retried && ended.http_status && error && error->http_status != ended.http_status;
  if (!ended.is_error || other_request) error.reset();
  if (!ended.is_error) return;
  auto message = cut(ended.error, kLongestMessage);
  bool remedy = ended.says_remedy;
  if (message.empty() && error) {
    message = error->message;
    remedy = error->says_remedy;
  }
  if (const auto by_end = class_of_end(ended.end)) {
    note_error({*by_end, message, ended.http_status, {}, remedy});
  } else if (!error || error->error_class == ErrorClass::unknown) {
    note_error(
        {class_of_status(ended.http_status.value_or(0)), message, ended.http_status, {}, remedy});
  } else {
    error->message = message;
    error->says_remedy = remedy;
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
      return cut(value, kLongestSummaryName);
    };
    note_denial(
        {word("tool"), word("call_id"), cut(json::locate(entry, {"input"}), kLongestMessage)});
  }
}

std::optional<double> Summary::price(std::string_view of_model, const Tokens& tokens) const {
  const auto billed = clamp_plausible(tokens);
  return plausible_cost(models_->cost_usd(
      of_model, {billed.input_uncached, billed.output, billed.cache_read, billed.cache_write, 0}));
}

void Summary::next_attempt(double known_total_usd) {
  Summary next(*models_, known_total_usd);
  next.reported_ = usage();
  next.reported_usd_ = cost_usd();
  next.earlier_attempt_partial_ = usage_is_minimum();
  // Keep the session id: a retry may fail before it reports one.
  next.session_id = std::move(session_id);
  next.model = std::move(model);
  next.agent_version = std::move(agent_version);
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
  add(all, this_turn_);
  if (turn_usage_seen_) return all;
  add(all, older_requests_);
  for (const auto& request : open_requests_) add(all, request.tokens);
  return all;
}

std::optional<double> Summary::open_requests_usd() const {
  auto cost = older_requests_usd_;
  for (const auto& request : open_requests_) add(cost, price(request.model, request.tokens));
  return cost;
}

std::optional<double> Summary::cost_usd() const {
  auto cost = reported_usd_;
  if (!turn_usage_seen_) add(cost, open_requests_usd());
  // An endpoint that could not be reached costs nothing.
  const bool unreachable =
      error_is_retry_ && error && !error->http_status && error->error_class == ErrorClass::network;
  if (!cost && unreachable) return 0;
  if (cost) cost = rounded_usd(*cost);
  return cost;
}

bool Summary::usage_is_minimum() const {
  if (earlier_attempt_partial_) return true;
  if (turn_usage_seen_) return false;
  return older_requests_partial_ || std::ranges::any_of(open_requests_, &Request::partial);
}

bool Summary::knows_price_of(std::string_view model_id) const {
  return models_->cost_usd(model_id, {}).has_value();
}

CostSource Summary::cost_source() const {
  if (reported_usd_) return CostSource::agent;
  return cost_usd() ? CostSource::price_table : CostSource::none;
}

bool Summary::ended_at_cost_limit() const {
  return !results.empty() && results.back().end == TurnEndReason::cost_limit;
}

std::optional<int> Summary::context_percent() const {
  if (context_.prompt() == 0) return std::nullopt;
  const auto window = window_.value_or(models_->context_window(model));
  if (window <= 0) return std::nullopt;
  const auto percent = (context_.prompt() * 100 + window / 2) / window;
  return static_cast<int>(std::min(percent, kMostPercent));
}

}  // namespace ralph::stream

#include "harness/run/overseer.h"

#include <fmt/core.h>

#include "harness/backend/plan.h"

namespace ralph::run {
namespace {

constexpr std::size_t kMostOpenCalls = 10'000;

}  // namespace

Overseer::Overseer(Rules rules, const stream::Summary& summary, process::Watch& watch,
                   std::function<void()> stop)
    : rules_(std::move(rules)), summary_(summary), watch_(watch), stop_(std::move(stop)) {}

void Overseer::begin(Millis wall) {
  if (wall > Millis::zero()) watch_.arm(process::Limit::wall, wall);
  settle();
}

Overseer::Phase Overseer::phase() const {
  if (!own_calls_.empty() || !other_calls_.empty() || summary_.background_tasks > 0)
    return Phase::tool;
  const bool ended = summary_.result_count > 0 && !summary_.turn_open() && !awaited_;
  return ended ? Phase::ended : Phase::model;
}

/// Exactly one of the two changing limits is armed, or none while a tool runs.
void Overseer::settle() {
  const auto now = phase();
  if (armed_ == now) return;
  armed_ = now;
  watch_.disarm(process::Limit::silence);
  watch_.disarm(process::Limit::after_end);
  if (now == Phase::model && rules_.limits.silence > Millis::zero()) {
    watch_.arm(process::Limit::silence, rules_.limits.silence);
  }
  if (now == Phase::ended) {
    watch_.close_stdin();
    if (rules_.limits.after_end > Millis::zero()) {
      watch_.arm(process::Limit::after_end, rules_.limits.after_end);
    }
  }
}

void Overseer::on(const stream::Event& event, const stream::ToolCall& call) {
  if (call.kind == stream::ToolKind::structured) return;  // an answer, not work
  auto& calls = event.parent.empty() ? own_calls_ : other_calls_;
  if (calls.size() < kMostOpenCalls) calls.emplace(call.call_id);
  settle();
}

void Overseer::on(const stream::Event&, const stream::ToolResult& result) {
  for (auto* calls : {&own_calls_, &other_calls_}) {
    if (const auto open = calls->find(result.call_id); open != calls->end()) calls->erase(open);
  }
  if (result.denied && !rules_.denials_allowed) stop_();
  settle();
}

void Overseer::on(const stream::Event&, const stream::SessionStarted& started) {
  check_price(started.model);
}

/// A limit that cannot be counted is refused, before the model has answered where its name is known by then.
void Overseer::check_price(std::string_view model) {
  if (!rules_.max_cost || !rules_.needs_price || model.empty() || summary_.knows_price_of(model))
    return;
  if (unpriced_model_.empty()) unpriced_model_ = model;
  stop_();
}

/// What a request has used so far. An answer that is complete and calls no tool is the agent's last word:
/// stopping it then would save nothing.
void Overseer::on(const stream::Event& event, const stream::Usage& usage) {
  if (event.parent.empty() && usage.scope == stream::UsageScope::request)
    note_message(usage.message_id);
  if (usage.tokens.prompt() + usage.tokens.output > 0) check_price(usage.model);
  if (!rules_.max_cost || over_budget_ || usage.scope != stream::UsageScope::request) return;
  const auto cost = summary_.cost_usd();
  if (!cost || *cost < *rules_.max_cost || (!usage.partial && own_calls_.empty())) return;
  over_budget_ = true;
  stop_();
}

/// With what it cost in the end. An agent that keeps the limit itself names only what was left of it.
std::string Overseer::over_budget() const {
  const auto cost = summary_.cost_usd();
  if (!rules_.max_cost || !cost) return {};
  const bool stopped_itself = !summary_.results.empty() &&
                              summary_.results.back().reason.contains("budget") &&
                              *cost >= *rules_.max_cost;
  if (!over_budget_ && !stopped_itself) return {};
  const auto before = rules_.limits.cost_before_usd;
  return fmt::format("${:.4f} of ${:.4f}", before + *cost, before + *rules_.max_cost);
}

/// A new message of the agent itself: its earlier calls are over, whether their results were told or not.
void Overseer::note_message(std::string_view id) {
  if (id.empty() || id == message_) return;
  message_ = id;
  own_calls_.clear();
  settle();
}

void Overseer::on(const stream::Event&, const stream::Retry& retry) {
  if (retry.error_class == stream::ErrorClass::auth) refuse_key(retry.message);
}

void Overseer::refuse_key(std::string_view message) {
  if (refused_key_.empty()) refused_key_ = message.empty() ? "the key was refused" : message;
  stop_();
}

void Overseer::on(const stream::Event&, const stream::ErrorEvent& error) {
  const bool denied =
      error.error_class == stream::ErrorClass::permission && !rules_.denials_allowed;
  if (denied) stop_();
  if (error.error_class == stream::ErrorClass::auth) refuse_key(error.message);
}

void Overseer::on(const stream::Event&, const stream::TurnEnded&) {
  own_calls_.clear();
  other_calls_.clear();
  armed_.reset();
  say_more();
  settle();
}

void Overseer::say_more() {
  awaited_ = false;
  if (!rules_.follow_up || summary_.background_tasks > 0 || over_budget_) return;
  const auto text = rules_.follow_up(summary_, sent_);
  if (!text) return;
  ++sent_;
  awaited_ = true;
  watch_.write(rules_.encode_message(*text));
}

void Overseer::on(const stream::Event&, const stream::Notice& notice) {
  if (notice.topic == "background_tasks") settle();
}

}  // namespace ralph::run

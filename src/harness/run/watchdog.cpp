#include "harness/run/watchdog.h"

#include "harness/backend/plan.h"

namespace ralph::run {
namespace {

constexpr std::size_t kMostOpenCalls = 10'000;

}  // namespace

Watchdog::Watchdog(Rules rules, const stream::Summary& summary, process::RunHandle& handle,
                   std::function<void()> stop)
    : rules_(std::move(rules)), summary_(summary), handle_(handle), stop_(std::move(stop)) {}

void Watchdog::begin(Millis wall) {
  if (wall > Millis::zero()) handle_.arm(process::Limit::wall, wall);
  update_limits();
}

Watchdog::Phase Watchdog::phase() const {
  if (!own_calls_.empty() || !subagent_calls_.empty() || summary_.background_tasks > 0)
    return Phase::tool;
  const bool ended = summary_.result_count > 0 && !summary_.turn_open() && !follow_up_pending_;
  return ended ? Phase::ended : Phase::model;
}

/// Arms `silence` or `after_end`, or neither while a tool runs.
void Watchdog::update_limits() {
  const auto now = phase();
  if (armed_ == now) return;
  armed_ = now;
  handle_.disarm(process::Limit::silence);
  handle_.disarm(process::Limit::after_end);
  if (now == Phase::model && rules_.limits.silence > Millis::zero()) {
    handle_.arm(process::Limit::silence, rules_.limits.silence);
  }
  if (now == Phase::ended) {
    handle_.close_stdin();
    if (rules_.limits.after_end > Millis::zero()) {
      handle_.arm(process::Limit::after_end, rules_.limits.after_end);
    }
  }
}

void Watchdog::on(const stream::Event& event, const stream::ToolCall& call) {
  if (call.kind == stream::ToolKind::structured) return;  // the answer, not work
  auto& calls = event.parent.empty() ? own_calls_ : subagent_calls_;
  if (calls.size() < kMostOpenCalls) calls.emplace(call.call_id);
  update_limits();
}

void Watchdog::on(const stream::Event&, const stream::ToolResult& result) {
  for (auto* calls : {&own_calls_, &subagent_calls_}) {
    if (const auto open = calls->find(result.call_id); open != calls->end()) calls->erase(open);
  }
  if (result.denied && !rules_.denials_allowed) stop_();
  update_limits();
}

void Watchdog::on(const stream::Event&, const stream::SessionStarted& started) {
  check_price(started.model);
}

/// Stops an agent whose cost limit cannot be enforced; before the first reply if the model is known
/// by then.
void Watchdog::check_price(std::string_view model) {
  if (!rules_.max_cost || !rules_.needs_price || model.empty() || summary_.knows_price_of(model))
    return;
  if (!unpriced_model_) unpriced_model_ = model;
  stop_();
}

/// A complete reply without tool calls is the last one: stopping the agent then would save nothing.
void Watchdog::on(const stream::Event& event, const stream::Usage& usage) {
  if (event.parent.empty() && usage.scope == stream::UsageScope::request)
    start_message(usage.message_id);
  if (usage.tokens.has_prompt() || usage.tokens.output != 0) check_price(usage.model);
  if (!rules_.max_cost || over_cost_limit_ || usage.scope != stream::UsageScope::request) return;
  const auto cost = summary_.cost_usd();
  if (!cost || *cost < *rules_.max_cost || (!usage.partial && own_calls_.empty())) return;
  over_cost_limit_ = true;
  stop_();
}

/// With the final cost. An agent that enforces the limit itself reports only what it got of it.
std::optional<stream::CostLimitReached> Watchdog::cost_limit() const {
  const auto cost = summary_.cost_usd();
  if (!rules_.max_cost || !cost) return std::nullopt;
  const bool stopped_itself = summary_.ended_at_cost_limit() && *cost >= *rules_.max_cost;
  if (!over_cost_limit_ && !stopped_itself) return std::nullopt;
  const auto before = rules_.limits.cost_before_usd;
  return stream::CostLimitReached{before + *cost, before + *rules_.max_cost};
}

/// A new message of the agent: its earlier calls have ended, even those without a result.
void Watchdog::start_message(std::string_view id) {
  if (id.empty() || id == message_id_) return;
  message_id_ = id;
  own_calls_.clear();
  update_limits();
}

void Watchdog::on(const stream::Event&, const stream::Retry& retry) {
  if (retry.error_class == stream::ErrorClass::auth) {
    reject_credential({std::string(retry.message), retry.http_status});
  }
}

void Watchdog::reject_credential(stream::CredentialRejected rejected) {
  if (!credential_rejected_) credential_rejected_ = std::move(rejected);
  stop_();
}

void Watchdog::on(const stream::Event&, const stream::ErrorEvent& error) {
  const bool denied =
      error.error_class == stream::ErrorClass::permission && !rules_.denials_allowed;
  if (denied) stop_();
  if (error.error_class == stream::ErrorClass::auth) {
    reject_credential({std::string(error.message), error.http_status, error.says_remedy});
  }
}

void Watchdog::on(const stream::Event&, const stream::TurnEnded&) {
  own_calls_.clear();
  subagent_calls_.clear();
  armed_.reset();
  send_follow_up();
  update_limits();
}

void Watchdog::send_follow_up() {
  follow_up_pending_ = false;
  if (!rules_.follow_up || summary_.background_tasks > 0 || over_cost_limit_) return;
  const auto text = rules_.follow_up(summary_, sent_);
  if (!text) return;
  ++sent_;
  follow_up_pending_ = true;
  handle_.write(rules_.encode_message(*text));
}

void Watchdog::on(const stream::Event&, const stream::Notice& notice) {
  if (notice.topic == stream::kBackgroundTasks) update_limits();
}

}  // namespace ralph::run

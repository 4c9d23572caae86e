#include "agent/permission/policy.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace ralph::permission {
namespace {

Rules joined(std::span<const Rules> sources) {
  Rules all;
  for (const auto& rules : sources) {
    std::ranges::copy(rules.allow, std::back_inserter(all.allow));
    std::ranges::copy(rules.deny, std::back_inserter(all.deny));
    std::ranges::copy(rules.ask, std::back_inserter(all.ask));
  }
  return all;
}

}  // namespace

Policy::Policy(Mode mode, Rules rules, Prompts prompts)
    : prompts_(prompts), rules_{std::move(rules)}, all_rules_(joined(rules_)), mode_(mode) {}

Decision Policy::decide(const ToolCall& call, std::optional<Mode> own_mode) const {
  auto decision = decide_in(mode(), call);
  if (!own_mode || !decision.allowed) return decision;
  auto own = decide_in(*own_mode, call);
  own.grant = std::min(own.grant, decision.grant);
  return own;
}

Decision Policy::decide_in(Mode now, const ToolCall& call) const {
  auto decision = permission::decide(call, now, rules());
  if (decision.allowed || decision.reason_type == Reason::rule) return decision;
  if (now == Mode::dont_ask) {
    decision.reason_type = Reason::mode;
    decision.reason.clear();
    decision.askable = false;
  } else if (prompts_ == Prompts::none) {
    decision.reason_type = Reason::async_agent;
    decision.reason = "permission prompts are disabled";
    decision.askable = false;
  }
  return decision;
}

Mode Policy::mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

Rules Policy::rules() const {
  const std::lock_guard lock(mutex_);
  return all_rules_;
}

Rules Policy::rules(RuleSource source) const {
  const std::lock_guard lock(mutex_);
  return rules_.at(static_cast<std::size_t>(source));
}

void Policy::change_rules(RuleSource source, const std::function<void(Rules& rules)>& change) {
  const std::lock_guard lock(mutex_);
  auto changed = rules_;
  change(changed.at(static_cast<std::size_t>(source)));
  all_rules_ = joined(changed);
  rules_ = std::move(changed);
}

void Policy::set_mode(Mode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
}

}  // namespace ralph::permission

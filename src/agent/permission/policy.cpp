#include "agent/permission/policy.h"

#include <algorithm>
#include <utility>

namespace ralph::permission {

Policy::Policy(Mode mode, Rules rules, Prompts prompts)
    : prompts_(prompts), rules_(std::move(rules)), mode_(mode) {}

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
  return rules_;
}

void Policy::set_rules(Rules rules) {
  const std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
}

void Policy::set_mode(Mode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
}

}  // namespace ralph::permission

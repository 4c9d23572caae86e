#include "agent/session/call_gate.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"

namespace ralph::session {
namespace {

using permission::Decision;
using permission::Reason;

/// Denials for these reasons are final: nobody could have allowed the call.
constexpr std::array kRuledOut{Reason::async_agent, Reason::mode};

Decision denied_by_hook(std::string message) {
  return {.reason_type = Reason::hook, .message = std::move(message)};
}

Decision allowed_by(Reason reason) {
  return {.allowed = true, .reason_type = reason, .grant = permission::Grant::user};
}

CallDecision shown(const Decision& decision) {
  using Kind = CallDecision::Kind;
  const bool ruled_out = std::ranges::find(kRuledOut, decision.reason_type) != kRuledOut.end();
  const auto denied = ruled_out ? Kind::denied_by_rule : Kind::denied_by_user;
  return {.kind = decision.allowed ? Kind::accepted : denied,
          .source = CallDecision::Source::config,
          .reason = decision.reason_type};
}

void take_over(hook::Answer& answer, CallVerdict& verdict) {
  std::ranges::move(answer.contexts, std::back_inserter(verdict.contexts));
  if (answer.stop) verdict.stop = answer.stop;
  if (answer.updated_input) verdict.input = *std::move(answer.updated_input);
}

}  // namespace

json::Document CallGate::details_of(const api::Block& call, const json::Document& input) const {
  json::Document details{{"tool_name", call.name}, {"tool_input", input}, {"tool_use_id", call.id}};
  if (!caller_.agent_id.empty()) {
    details["agent_id"] = caller_.agent_id;
    details["agent_type"] = caller_.agent_type;
  }
  return details;
}

void CallGate::decide(const tool::Tool& tool, CallVerdict& verdict) const {
  verdict.access = tool.access(verdict.input, workspace_);
  verdict.decision = policy_.decide(
      permission_call(tool, verdict.input, verdict.access, workspace_), caller_.mode);
}

CallVerdict CallGate::check(const api::Block& call, const tool::Tool& tool, json::Document input,
                            const std::stop_token& stop) const {
  CallVerdict verdict{.input = std::move(input), .access = {}, .decision = {}, .shown = {}};
  hook::Answer advice;
  if (hooks_.has(hook::Event::pre_tool_use)) {
    advice = hooks_.run({.event = hook::Event::pre_tool_use,
                         .subject = call.name,
                         .details = details_of(call, verdict.input),
                         .tool_use_id = call.id},
                        stop);
    take_over(advice, verdict);
  }
  decide(tool, verdict);
  auto& decision = verdict.decision;
  const bool by_rule = decision.reason_type == Reason::rule;
  if (advice.blocked || advice.stop) {
    decision = denied_by_hook(fmt::format("PreToolUse:{} hook error: {}", call.name,
                                          advice.blocked ? advice.reason : *verdict.stop));
  } else if (advice.permission == hook::Permission::allow && decision.askable && !by_rule) {
    decision = allowed_by(Reason::hook);
  } else if (advice.permission == hook::Permission::ask && decision.allowed) {
    decision = denied_by_hook(advice.reason.empty() ? "A hook requires confirmation for this call."
                                                    : std::move(advice.reason));
    decision.askable = true;
  }
  verdict.shown = shown(decision);
  if (!decision.allowed && decision.askable) ask(call, tool, verdict, stop);
  verdict.access.grant = decision.grant;
  verdict.access.call_id = call.id;
  return verdict;
}

/// True: a hook has decided.
bool CallGate::ask_hooks(const api::Block& call, const tool::Tool& tool, CallVerdict& verdict,
                         const std::stop_token& stop) const {
  if (!hooks_.has(hook::Event::permission_request)) return false;
  auto answer = hooks_.run({.event = hook::Event::permission_request,
                            .subject = call.name,
                            .details = details_of(call, verdict.input),
                            .tool_use_id = call.id},
                           stop);
  auto input = std::exchange(answer.updated_input, {});
  take_over(answer, verdict);
  if (answer.blocked || answer.stop) {
    verdict.decision = denied_by_hook(fmt::format("PermissionRequest:{} hook error: {}", call.name,
                                                  answer.blocked ? answer.reason : *verdict.stop));
    return true;
  }
  if (answer.permission != hook::Permission::allow) return false;
  if (input && !replace_input(tool, *std::move(input), verdict)) return true;
  verdict.decision = allowed_by(Reason::hook);
  return true;
}

/// False: a rule forbids the new input.
bool CallGate::replace_input(const tool::Tool& tool, json::Document input,
                             CallVerdict& verdict) const {
  verdict.input = std::move(input);
  decide(tool, verdict);
  return verdict.decision.allowed || verdict.decision.askable;
}

void CallGate::ask(const api::Block& call, const tool::Tool& tool, CallVerdict& verdict,
                   const std::stop_token& stop) const {
  using Source = CallDecision::Source;
  auto& decision = verdict.decision;
  if (ask_hooks(call, tool, verdict, stop)) {
    verdict.shown = shown(decision);
    return;
  }
  if (approver_ == nullptr) return;
  auto approval =
      approver_->ask({call, verdict.input, verdict.access, decision, caller_.agent_id}, stop);
  decision.asked = true;
  if (!approval) {
    decision.message = "Tool permission request failed: Error: " + describe(approval.error());
    verdict.shown = {CallDecision::Kind::denied_by_rule, Source::config, Reason::other};
    return;
  }
  if (!approval->allowed) {
    decision.reason_type = Reason::user;
    decision.message = std::move(approval->message);
    verdict.interrupt = approval->interrupt;
    verdict.shown = {CallDecision::Kind::denied_by_rule, Source::user_reject, Reason::none};
    return;
  }
  // The user has answered a question: there is nothing left to decide.
  const bool question = verdict.access.kind == permission::Access::Kind::question;
  if (approval->input && question) {
    verdict.input = *std::move(approval->input);
  } else if (approval->input && !replace_input(tool, *std::move(approval->input), verdict)) {
    verdict.shown = shown(decision);
    return;
  }
  decision = allowed_by(Reason::none);
  verdict.shown = {CallDecision::Kind::accepted,
                   approval->always ? Source::user_always : Source::user_once, Reason::none};
}

void CallGate::after(const json::Document& input, Millis duration, ToolCallResult& result,
                     const std::stop_token& stop) const {
  const bool failed = result.outcome.is_error.value_or(false);
  const auto event = failed ? hook::Event::post_tool_use_failure : hook::Event::post_tool_use;
  if (!hooks_.has(event)) return;
  auto details = details_of(*result.call, input);
  auto response = json::parse(result.outcome.detail).value_or(json::Document());
  details[failed ? "error" : "tool_response"] = std::move(response);
  if (failed) details["is_interrupt"] = stop.stop_requested();
  details["duration_ms"] = duration.count();
  auto answer = hooks_.run({.event = event,
                            .subject = result.call->name,
                            .details = details,
                            .tool_use_id = result.call->id},
                           stop);
  std::ranges::move(answer.contexts, std::back_inserter(result.contexts));
  if (answer.blocked) {
    result.contexts.push_back(fmt::format("{}:{} hook feedback:\n{}", to_string(event),
                                          result.call->name, answer.reason));
  }
  if (answer.stop) result.stop = std::move(answer.stop);
}

}  // namespace ralph::session

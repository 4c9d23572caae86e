#include "agent/wire/client_approver.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/permission/rule.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

using json::Document;
using permission::Access;

constexpr std::string_view kDenied = "The user denied this call.";

/// What the client can offer to its user in addition to a plain "yes".
Document suggestions(const session::ApprovalRequest& request) {
  auto list = Document::array();
  if (request.access.kind == Access::Kind::write) {
    list.push_back({{"type", "setMode"}, {"mode", "acceptEdits"}, {"destination", "session"}});
  } else {
    Document rule{{"toolName", request.call.name}};
    if (request.access.kind == Access::Kind::run) rule["ruleContent"] = request.access.command;
    list.push_back({{"type", "addRules"},
                    {"rules", Document::array({rule})},
                    {"behavior", "allow"},
                    {"destination", "localSettings"}});
  }
  return list;
}

std::string rule_text(const Document& rule) {
  const auto tool = json::text(rule, "toolName");
  const auto content = json::text(rule, "ruleContent");
  return content.empty() ? tool : fmt::format("{}({})", tool, content);
}

std::vector<std::string>* list_of(permission::Rules& rules, std::string_view behavior) {
  if (behavior == "allow") return &rules.allow;
  if (behavior == "deny") return &rules.deny;
  if (behavior == "ask") return &rules.ask;
  return nullptr;
}

void change_rules(permission::Policy& policy, const Document& update, std::string_view type) {
  auto rules = policy.rules();
  auto* const list = list_of(rules, json::text(update, "behavior"));
  if (list == nullptr) return;
  if (type == "replaceRules") list->clear();
  for (const auto& rule : json::member(update, "rules")) {
    auto text = rule_text(rule);
    if (!permission::is_well_formed_rule(text)) continue;
    if (type == "removeRules") {
      std::erase(*list, text);
    } else {
      list->push_back(std::move(text));
    }
  }
  policy.set_rules(std::move(rules));
}

/// True: a rule was added. Bypassing all permissions must be asked for when the agent is started.
bool apply(permission::Policy& policy, const Document& update) {
  const auto type = json::text(update, "type");
  if (type == "setMode") {
    const auto mode = permission::parse_mode(json::text(update, "mode"));
    if (mode && *mode != permission::Mode::bypass) policy.set_mode(*mode);
  } else if (type == "addRules" || type == "replaceRules" || type == "removeRules") {
    change_rules(policy, update, type);
    return type != "removeRules";
  }
  return false;
}

}  // namespace

Result<session::Approval> read_approval(const Document& answer, permission::Policy& policy) {
  const auto behavior = json::text(answer, "behavior");
  session::Approval approval;
  if (behavior == "deny") {
    approval.message = json::text(answer, "message");
    if (approval.message.empty()) approval.message = kDenied;
    approval.interrupt = json::member(answer, "interrupt") == true;
    return approval;
  }
  if (behavior != "allow") {
    return fail(Code::malformed, "the answer's 'behavior' is neither 'allow' nor 'deny'");
  }
  const auto& input = json::member(answer, "updatedInput");
  if (!input.is_null() && !input.is_object()) {
    return fail(Code::malformed, "the answer's 'updatedInput' is not an object");
  }
  approval.allowed = true;
  if (input.is_object()) approval.input = input;
  for (const auto& update : json::member(answer, "updatedPermissions")) {
    approval.always = apply(policy, update) || approval.always;
  }
  return approval;
}

Result<session::Approval> ClientApprover::ask(const session::ApprovalRequest& request,
                                              const std::stop_token& stop) {
  Document body{{"subtype", "can_use_tool"},
                {"tool_name", request.call.name},
                {"display_name", request.call.name},
                {"input", request.input},
                {"description", json::text(request.input, "description")},
                {"permission_suggestions", suggestions(request)},
                {"tool_use_id", request.call.id}};
  if (!request.agent_id.empty()) body["agent_id"] = request.agent_id;
  if (!request.decision.reason.empty()) body["decision_reason"] = request.decision.reason;
  if (request.decision.reason_type == permission::Reason::working_dir) {
    body["blocked_path"] = request.access.path.string();
  }
  TRY_ASSIGN(const auto answer, client_.ask(body, stop));
  return read_approval(answer, policy_);
}

}  // namespace ralph::wire

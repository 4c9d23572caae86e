#include "agent/wire/client_approver.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/permission/rule.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

using json::Document;
using permission::Access;
using permission::Mode;

constexpr std::string_view kDenied = "The user denied this call.";
/// Of one answer, so that a client cannot fill the memory.
constexpr std::size_t kMostUpdates = 4096;

bool is_about_file(const Access& access) {
  return access.kind == Access::Kind::read || access.kind == Access::Kind::write;
}

/// What the client can offer to its user in addition to a plain "yes".
Document suggestions(const session::ApprovalRequest& request, Mode mode) {
  auto list = Document::array();
  if (request.access.kind == Access::Kind::write) {
    if (mode == Mode::standard) {
      list.push_back({{"type", "setMode"}, {"mode", "acceptEdits"}, {"destination", "session"}});
    }
    return list;
  }
  Document rule{{"toolName", request.call.name}};
  std::string_view destination = "localSettings";
  if (!request.access.command.empty()) rule["ruleContent"] = request.access.command;
  if (request.access.kind == Access::Kind::read) {
    rule["ruleContent"] = fmt::format("/{}/**", request.access.path.parent_path().string());
    destination = "session";
  }
  list.push_back({{"type", "addRules"},
                  {"rules", Document::array({rule})},
                  {"behavior", "allow"},
                  {"destination", destination}});
  return list;
}

/// What the call is about, in a few words.
std::string description_of(const Document& input) {
  for (const auto* const key : {"description", "file_path", "path", "url"}) {
    if (auto text = json::text(input, key); !text.empty()) return text;
  }
  return {};
}

/// Clients show file names outside of our working directory.
Document shown_input(const session::ApprovalRequest& request, const tool::Workspace& workspace) {
  auto input = request.input;
  const auto* const name =
      is_about_file(request.access) ? json::find_text(input, "file_path") : nullptr;
  if (name != nullptr && !name->empty()) {
    input["file_path"] = (workspace.cwd() / *name).lexically_normal().string();
  }
  return input;
}

std::string rule_text(const Document& rule) {
  const auto tool = json::text(rule, "toolName");
  const auto content = json::text(rule, "ruleContent");
  return content.empty() ? tool : fmt::format("{}({})", tool, content);
}

std::vector<std::string> permission::Rules::* list_of(std::string_view behavior) {
  if (behavior == "allow") return &permission::Rules::allow;
  if (behavior == "deny") return &permission::Rules::deny;
  if (behavior == "ask") return &permission::Rules::ask;
  return nullptr;
}

bool changes_rules(std::string_view type) {
  return type == "addRules" || type == "replaceRules" || type == "removeRules";
}

/// The client changes the rules that it gave itself, not those of settings and options.
void change_rules(permission::Policy& policy, const Document& update, std::string_view type) {
  policy.change_rules(permission::RuleSource::answers, [&](permission::Rules& rules) {
    auto& list = rules.*list_of(json::text(update, "behavior"));
    if (type == "replaceRules") list.clear();
    for (const auto& rule : json::member(update, "rules")) {
      auto text = rule_text(rule);
      if (type == "removeRules") {
        std::erase(list, text);
      } else {
        list.push_back(std::move(text));
      }
    }
  });
}

/// True: a rule was added. Bypassing all permissions must be asked for when the agent is started.
bool apply(const AnswerTargets& targets, const Document& update) {
  const auto type = json::text(update, "type");
  if (type == "setMode") {
    const auto mode = permission::parse_mode(json::text(update, "mode"));
    if (mode && *mode != Mode::bypass) targets.modes.set(*mode);
  } else if (changes_rules(type)) {
    change_rules(targets.policy, update, type);
    return type != "removeRules";
  }
  return false;
}

/// A rule that is left out may be one that denies.
Result<> check_rules(const Document& update) {
  if (!changes_rules(json::text(update, "type"))) return {};
  if (const auto behavior = json::text(update, "behavior"); list_of(behavior) == nullptr) {
    return fail(Code::malformed,
                fmt::format("the answer's 'updatedPermissions' has the behavior '{}', not allow, "
                            "deny or ask",
                            behavior));
  }
  const auto& rules = json::member(update, "rules");
  if (!rules.is_array()) {
    return fail(Code::malformed, "the answer's 'updatedPermissions' has no list of rules");
  }
  for (const auto& rule : rules) {
    const auto text = rule_text(rule);
    if (!text.empty() && permission::is_well_formed_rule(text)) continue;
    return fail(Code::malformed,
                fmt::format("the answer's 'updatedPermissions' has an entry that is not a rule: {}",
                            json::write(rule)));
  }
  return {};
}

Result<> check(const Document& input, const Document& updates) {
  if (!input.is_null() && !input.is_object()) {
    return fail(Code::malformed, "the answer's 'updatedInput' is not an object");
  }
  if (!updates.is_null() && !updates.is_array()) {
    return fail(Code::malformed, "the answer's 'updatedPermissions' is not a list");
  }
  std::size_t count = updates.size();
  for (const auto& update : updates) count += json::member(update, "rules").size();
  if (count > kMostUpdates) {
    return fail(Code::limit,
                fmt::format("the answer's 'updatedPermissions' has over {} entries", kMostUpdates));
  }
  for (const auto& update : updates) TRY(check_rules(update));
  return {};
}

}  // namespace

Result<session::Approval> read_approval(const Document& answer, const AnswerTargets& targets) {
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
  const auto& updates = json::member(answer, "updatedPermissions");
  TRY(check(input, updates));
  approval.allowed = true;
  if (input.is_object()) approval.input = input;
  for (const auto& update : updates) approval.always = apply(targets, update) || approval.always;
  return approval;
}

Document ClientApprover::body(const session::ApprovalRequest& request) const {
  Document body{{"subtype", "can_use_tool"},
                {"tool_name", request.call.name},
                {"display_name", request.call.name},
                {"input", shown_input(request, workspace_)},
                {"tool_use_id", request.call.id}};
  if (request.access.kind == Access::Kind::question) {
    body["requires_user_interaction"] = true;
    return body;
  }
  body["description"] = description_of(request.input);
  body["permission_suggestions"] = suggestions(request, targets_.modes.mode());
  const auto& decision = request.decision;
  if (!decision.reason.empty()) body["decision_reason"] = decision.reason;
  if (decision.reason_type != permission::Reason::none) {
    body["decision_reason_type"] = to_string(decision.reason_type);
  }
  if (decision.reason_type == permission::Reason::working_dir) {
    body["blocked_path"] = request.access.path.string();
  }
  return body;
}

Result<session::Approval> ClientApprover::ask(const session::ApprovalRequest& request,
                                              const std::stop_token& stop) {
  auto asked = body(request);
  if (!request.agent_id.empty()) asked["agent_id"] = request.agent_id;
  TRY_ASSIGN(const auto answer, client_.ask(asked, stop));
  TRY_ASSIGN(auto approval, read_approval(answer, targets_));
  if (approval.input && *approval.input == asked["input"]) approval.input.reset();  // unchanged
  return approval;
}

}  // namespace ralph::wire

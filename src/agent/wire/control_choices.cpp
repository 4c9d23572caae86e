#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/permission/rule.h"
#include "agent/session/json_text.h"
#include "agent/wire/control_requests_impl.h"
#include "core/base/id.h"
#include "core/json/field.h"

/// Requests that change the model, the mode, the rules and the title of the session.
namespace ralph::wire {
namespace {

using json::Document;
using permission::Mode;

constexpr std::array<std::string_view, 3> kDisplays{"summarized", "omitted", "highlights"};

/// Settings that restrict an agent, or run programs: they count only from the start.
constexpr std::array kOnlyAtStart{"hooks", "disableAllHooks", "sandbox", "apiKeyHelper"};
constexpr std::array kPermissionsOnlyAtStart{"disableBypassPermissionsMode"};

/// Clients show it to their user.
void report_model(AgentParts& parts, const std::string& id) {
  session::UserExtras extras;
  extras.uuid = make_uuid();
  extras.replay = true;
  const auto content = session::json_string(
      fmt::format("<local-command-stdout>Set model to {}</local-command-stdout>", id));
  parts.meter.emit(parts.identity, session::UserInput{content, extras});
}

ControlReply choose_model(AgentParts& parts, const std::string& wanted) {
  auto& choice = *parts.prepared.choice;
  const auto before = choice.id();
  const auto id = choice.choose(wanted);
  auto reply = success({{"model", id}});
  if (id != before) reply.after = [&parts, id] { report_model(parts, id); };
  return reply;
}

/// Why the session cannot switch to bypassPermissions; empty: it can.
std::string why_no_bypass(const AgentParts& parts) {
  const auto& options = parts.setup.options;
  if (parts.prepared.settings.bypass_forbidden) {
    return "the setting disableBypassPermissionsMode forbids it";
  }
  const bool launched = options.skip_permissions || options.allow_skip_permissions ||
                        parts.prepared.mode == Mode::bypass;
  if (!launched) return "the session was not launched with --dangerously-skip-permissions";
  if (parts.setup.is_root && parts.setup.environment.get("IS_SANDBOX") != "1") {
    return "it cannot be used with root/sudo privileges";
  }
  return {};
}

/// "" : changed.
ControlReply change_mode(AgentParts& parts, const Document& word) {
  const auto mode = permission::parse_mode(word.is_string() ? word.get<std::string>() : "");
  if (!mode) {
    return refusal(
        "Cannot set permission mode: must be one of acceptEdits, auto, bypassPermissions, default, "
        "dontAsk, plan",
        "invalid_mode");
  }
  if (const auto why = *mode == Mode::bypass ? why_no_bypass(parts) : ""; !why.empty()) {
    return refusal("Cannot set permission mode to bypassPermissions because " + why,
                   "bypass_not_launched");
  }
  auto reply = success({{"mode", to_string(*mode)}});
  reply.after = [&parts, mode = *mode] { parts.modes.set(mode); };
  return reply;
}

/// Empty: usable.
std::string complaint_about(const Document& settings) {
  for (const auto* const key : kOnlyAtStart) {
    if (settings.contains(key))
      return fmt::format("'{}' can only be set when the agent starts", key);
  }
  const auto& permissions = json::member(settings, "permissions");
  if (!permissions.is_null() && !permissions.is_object()) return "'permissions' is not an object";
  for (const auto* const key : kPermissionsOnlyAtStart) {
    if (permissions.contains(key)) {
      return fmt::format("'permissions.{}' can only be set when the agent starts", key);
    }
  }
  for (const auto* const key : {"allow", "deny", "ask"}) {
    const auto& list = json::member(permissions, key);
    if (!list.is_null() && !list.is_array())
      return fmt::format("'permissions.{}' is not a list", key);
    for (const auto& rule : list) {
      if (!rule.is_string() || !permission::is_well_formed_rule(rule.get<std::string>())) {
        return fmt::format("'permissions.{}' has an entry that is not a rule: {}", key,
                           json::write(rule));
      }
    }
  }
  return {};
}

/// Rules of the request take the place of those of the request before.
void change_flag_rules(AgentParts& parts, const Document& permissions) {
  parts.policy.change_rules(permission::RuleSource::flag_settings,
                            [&permissions](permission::Rules& rules) {
                              const std::pair<const char*, std::vector<std::string>&> lists[] = {
                                  {"allow", rules.allow}, {"deny", rules.deny}, {"ask", rules.ask}};
                              for (const auto& [key, list] : lists) {
                                if (permissions.contains(key)) list = json::texts(permissions, key);
                              }
                            });
}

}  // namespace

ControlReply serve_set_model(AgentParts& parts, const Document& request) {
  const auto& model = json::member(request, "model");
  if (!model.is_null() && !model.is_string()) {
    return refusal("'model' must be a string", "invalid_request");
  }
  return choose_model(parts, json::text(request, "model"));
}

ControlReply serve_set_permission_mode(AgentParts& parts, const Document& request) {
  return change_mode(parts, json::member(request, "mode"));
}

ControlReply serve_set_max_thinking_tokens(AgentParts& parts, const Document& request) {
  const auto& tokens = json::member(request, "max_thinking_tokens");
  const auto& display = json::member(request, "thinking_display");
  const bool tokens_fit = tokens.is_null() || (tokens.is_number_integer() && tokens >= 0);
  const bool display_fits =
      display.is_null() ||
      (display.is_string() &&
       std::ranges::find(kDisplays, display.get<std::string>()) != kDisplays.end());
  if (!tokens_fit || !display_fits) {
    return refusal(
        "set_max_thinking_tokens: max_thinking_tokens must be an integer or null and "
        "thinking_display must be \"summarized\", \"omitted\", \"highlights\", or null");
  }
  auto& choice = *parts.prepared.choice;
  if (request.contains("max_thinking_tokens")) {
    choice.set_thinking(tokens.is_null() ? std::nullopt
                                         : std::optional(tokens.get<std::int64_t>()));
  }
  if (request.contains("thinking_display")) {
    choice.set_thinking_display(display.is_null() ? std::nullopt
                                                  : std::optional(display.get<std::string>()));
  }
  return success();
}

/// Settings without effect during a session are accepted; restrictions that could not be honoured are refused.
ControlReply serve_apply_flag_settings(AgentParts& parts, const Document& request) {
  const auto& settings = json::member(request, "settings");
  if (!settings.is_object()) {
    return refusal(fmt::format("apply_flag_settings requires `settings` to be an object, got {}",
                               settings.is_null() ? "undefined" : settings.type_name()));
  }
  if (auto why = complaint_about(settings); !why.empty()) {
    return refusal("apply_flag_settings: " + why);
  }
  auto reply = success();
  std::vector<std::function<void()>> after;
  const auto& permissions = json::member(settings, "permissions");
  if (permissions.contains("defaultMode") && !permissions["defaultMode"].is_null()) {
    auto changed = change_mode(parts, permissions["defaultMode"]);
    if (!changed.error.empty()) return changed;
    after.push_back(std::move(changed.after));
  }
  if (permissions.is_object()) change_flag_rules(parts, permissions);
  if (const auto& effort = json::member(settings, "effortLevel"); effort.is_string()) {
    parts.prepared.choice->set_effort(effort.get<std::string>());
  }
  if (settings.contains("model")) {
    after.push_back(choose_model(parts, json::text(settings, "model")).after);
  }
  reply.after = [after = std::move(after)] {
    for (const auto& act : after) {
      if (act) act();
    }
  };
  return reply;
}

ControlReply serve_rename_session(AgentParts& parts, const Document& request) {
  const auto* const title = json::find_text(request, "title");
  if (title == nullptr) return refusal("rename_session: title must be a string");
  const auto session = json::text(request, "session_id");
  if (!session.empty() && session != parts.identity.session_id()) {
    return refusal("rename_session: the process has moved to another session");
  }
  ClientSetup setup;
  setup.title = *title;
  parts.client_setup.add(std::move(setup));
  auto reply = success();
  reply.after = [&parts, title = *title] {
    parts.meter.emit(parts.identity, session::TitleChanged{title});
  };
  return reply;
}

}  // namespace ralph::wire

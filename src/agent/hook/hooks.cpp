#include "agent/hook/hooks.h"

#include <nlohmann/json.hpp>

#include "core/base/words.h"

namespace ralph::hook {
namespace {

constexpr ralph::Words<Event, 12> kEvents{{"SessionStart", "UserPromptSubmit", "PreToolUse",
                                           "PermissionRequest", "PostToolUse", "PostToolUseFailure",
                                           "Notification", "Stop", "SubagentStart", "SubagentStop",
                                           "PreCompact", "SessionEnd"}};

}  // namespace

std::string_view to_string(Event event) { return kEvents.of(event); }

std::optional<Event> parse_event(std::string_view name) { return kEvents.find(name); }

Answer NoHooks::run(const Occasion&, const std::stop_token&) { return {}; }

}  // namespace ralph::hook

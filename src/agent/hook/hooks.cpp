#include "agent/hook/hooks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/words.h"

namespace ralph::hook {
namespace {

constexpr ralph::Words<Event, 12> kEvents{{"SessionStart", "UserPromptSubmit", "PreToolUse",
                                           "PermissionRequest", "PostToolUse", "PostToolUseFailure",
                                           "Notification", "Stop", "SubagentStart", "SubagentStop",
                                           "PreCompact", "SessionEnd"}};

constexpr Event kBlocking[] = {
    Event::pre_tool_use,   Event::permission_request, Event::user_prompt_submit, Event::stop,
    Event::subagent_start, Event::subagent_stop,      Event::pre_compact};

}  // namespace

std::string_view to_string(Event event) { return kEvents.of(event); }

std::optional<Event> parse_event(std::string_view name) { return kEvents.find(name); }

bool can_block(Event event) {
  return std::ranges::find(kBlocking, event) != std::ranges::end(kBlocking);
}

Answer NoHooks::run(const Occasion&, const std::stop_token&) { return {}; }

}  // namespace ralph::hook

#pragma once
#include <optional>
#include <string_view>

namespace ralph::hook {

/// When hooks of the user run.
enum class Event {
  session_start,
  user_prompt_submit,
  pre_tool_use,
  permission_request,
  post_tool_use,
  post_tool_use_failure,
  notification,
  stop,
  subagent_start,
  subagent_stop,
  pre_compact,
  session_end,
};
/// As settings have it: "PreToolUse".
std::string_view to_string(Event event);
std::optional<Event> parse_event(std::string_view name);
/// Whether a hook can prevent what it is run for: then a hook that fails prevents it.
bool can_block(Event event);

}  // namespace ralph::hook

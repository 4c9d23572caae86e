#include "agent/session/turn_hooks.h"

#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "core/json/document.h"

namespace ralph::session {

hook::Answer TurnHooks::before_message(const UserMessage& message,
                                       const std::stop_token& stop) const {
  auto& hooks = state_.links.hooks;
  const bool child = !state_.links.identity.parent_tool_use_id().empty();
  if (child || message.notification || !hooks.has(hook::Event::user_prompt_submit)) return {};
  const auto& given = message.original.empty() ? message.content : message.original;
  const json::Document details{{"prompt", text_of_content(given)}};
  return hooks.run({.event = hook::Event::user_prompt_submit, .details = details}, stop);
}

hook::Answer TurnHooks::before_end(std::string_view text, const std::stop_token& stop) {
  auto& hooks = state_.links.hooks;
  const bool child = !state_.links.identity.parent_tool_use_id().empty();
  const auto event = child ? hook::Event::subagent_stop : hook::Event::stop;
  if (!hooks.has(event)) return {};
  json::Document details{{"stop_hook_active", continued_}, {"last_assistant_message", text}};
  const auto& agent = state_.links.identity.agent();
  if (child) {
    details["agent_id"] = agent.id;
    details["agent_type"] = agent.type;
  }
  auto answer = hooks.run({.event = event, .subject = agent.type, .details = details}, stop);
  continued_ = continued_ || answer.blocked;
  return answer;
}

}  // namespace ralph::session

#include "agent/wire/claude_events.h"

#include "agent/session/failure_text.h"
#include "agent/session/json_text.h"
#include "agent/wire/claude_json_impl.h"

namespace ralph::wire {

using session::Event;
using session::Identity;

std::string parent_json(const Identity& from) {
  const auto& parent = from.parent_tool_use_id();
  return parent.empty() ? "null" : session::json_string(parent);
}

void add_agent(json::ObjectWriter& writer, const Identity& from) {
  const auto& agent = from.agent();
  if (agent.id.empty()) return;
  writer.text("agent_id", agent.id)
      .text("subagent_type", agent.type)
      .text("task_description", agent.description);
}

void add_answers(json::ObjectWriter& writer, const session::MessageIds& answers) {
  if (answers.empty()) return;
  writer.text("user_message_uuid", answers.back())
      .raw("user_message_uuids", session::string_array(answers));
}

namespace {

std::string line(const Identity& from, const session::TurnEnded& event) {
  return result_json(from, event.result, true);
}

}  // namespace

std::string claude_json(const Identity& from, const Event& event) {
  return std::visit([&](const auto& each) { return line(from, each); }, event);
}

void ClaudeEvents::emit(const Identity& from, const Event& event) {
  if (const auto* ended = std::get_if<session::TurnEnded>(&event)) {
    writer_.result(result_json(from, ended->result, true), result_json(from, ended->result, false),
                   text_output(ended->result, options_));
    return;
  }
  writer_.event(claude_json(from, event));
}

}  // namespace ralph::wire

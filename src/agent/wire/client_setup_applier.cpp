#include "agent/wire/client_setup_applier.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/plan_tools.h"
#include "core/json/document.h"

namespace ralph::wire {

void ClientSetupApplier::apply(session::Session& session) {
  apply_prompt(session);
  record_title(session);
  apply_schema(session);
}

/// The system prompt of a session does not change once it was sent.
void ClientSetupApplier::apply_prompt(session::Session& session) {
  if (session.introduced() || !links_.options.agent.empty()) return;
  auto system = links_.prompt.apply(links_.options);
  if (!system) return;
  session.set_system_prompt(*system);
  links_.system = *std::move(system);
}

void ClientSetupApplier::apply_schema(session::Session& session) {
  const auto schema = links_.setup.get().json_schema;
  if (!schema || *schema == schema_) return;
  schema_ = *schema;
  auto structured = session::StructuredOutput::make(schema_);
  if (!structured) return;  // initialize has refused it
  links_.structured = *std::move(structured);
  session.set_structured_output(&*links_.structured);
}

void ClientSetupApplier::record_title(session::Session& session) {
  if (const auto title = links_.setup.take_title()) session.record_title(*title);
}

void ClientSetupApplier::add_plan_note(session::UserMessage& message) const {
  if (links_.modes.mode() != permission::Mode::plan) return;
  const bool can_present = links_.toolbox.find("ExitPlanMode") != nullptr;
  auto blocks = json::parse(message.content);
  if (!blocks || !blocks->is_array()) return;
  const auto own = links_.setup.get().plan_mode_note;
  const auto note = own ? *own : session::plan_mode_note(can_present);
  if (message.original.empty()) message.original = message.content;
  blocks->push_back(
      {{"type", "text"}, {"text", fmt::format("<system-reminder>\n{}\n</system-reminder>", note)}});
  message.content = json::write(*blocks);
}

}  // namespace ralph::wire

#pragma once
// Private to this module's .cpp files.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/hook_settings.h"
#include "agent/instructions/agent_definitions.h"
#include "agent/permission/policy.h"
#include "agent/session/open_session.h"
#include "agent/session/structured_output.h"
#include "agent/session/turn_control.h"
#include "agent/settings/credential.h"
#include "agent/settings/model_choice.h"
#include "agent/settings/settings.h"
#include "agent/wire/agent.h"

namespace ralph::wire {

/// Prints a line to stderr.
void warn(const Setup& setup, std::string_view line);

/// The parts of an agent whose creation can fail.
struct Prepared {
  std::optional<session::StructuredOutput> structured;
  std::string git_branch;
  settings::Settings settings;
  hook::HookSettings hooks;
  settings::Login login;
  std::unique_ptr<settings::ModelChoice> choice;
  permission::Mode mode = permission::Mode::standard;
  permission::Rules rules;
  std::vector<std::string> system;
  std::unique_ptr<instructions::AgentDefinitions> agents;
  settings::Options options;  // of the session: those given, narrowed by --agent
  std::optional<std::vector<std::string>> agent_tools;  // of --agent
  std::string read_ahead;                               // of stdin
};

/// Completes what `prepared` has; prints notes to stderr.
Result<> prepare(const Setup& setup, const session::TurnControl& control,
                 const session::SessionStart& start, Prepared& prepared);

}  // namespace ralph::wire

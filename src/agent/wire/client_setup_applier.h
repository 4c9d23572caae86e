#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agent/instructions/client_prompt.h"
#include "agent/session/inbox.h"
#include "agent/session/mode_switch.h"
#include "agent/session/session.h"
#include "agent/session/structured_output.h"
#include "agent/session/toolbox.h"
#include "agent/settings/options.h"
#include "agent/wire/client_setup.h"

namespace ralph::wire {

/// Gives a session what the client has asked for since the last turn. Used between turns, by the thread that runs them.
class ClientSetupApplier {
 public:
  struct Links {
    const settings::Options& options;
    const instructions::ClientPrompt& prompt;
    ClientSetupStore& setup;
    const session::ModeSwitch& modes;
    const session::Toolbox& toolbox;
    std::vector<std::string>& system;                      // changed when the prompt is
    std::optional<session::StructuredOutput>& structured;  // sessions refer to it
  };
  explicit ClientSetupApplier(Links links) : links_(links) {}

  /// Before a turn.
  void apply(session::Session& session);
  /// A title that the client gave since the last call.
  void record_title(session::Session& session);
  /// In plan mode the model must know that it is to plan; clients can switch the mode between turns.
  void add_plan_note(session::UserMessage& message) const;

 private:
  void apply_prompt(session::Session& session);
  void apply_schema(session::Session& session);

  Links links_;
  std::string schema_;  // in use
};

}  // namespace ralph::wire

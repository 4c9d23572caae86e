#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "agent/session/session.h"
#include "agent/wire/agent_parts_impl.h"
#include "agent/wire/client_setup_applier.h"
#include "agent/wire/held_results.h"
#include "agent/wire/task_watcher.h"

namespace ralph::wire {

/// Answers the messages of the input, turn by turn, until it ends. Owns the order of the steps of a session.
class AgentProgram {
 public:
  /// `reporting_result` is set while a result is written.
  AgentProgram(std::unique_ptr<AgentParts> parts, std::unique_ptr<session::Session> session,
               EventWriter& writer, std::atomic<bool>& reporting_result);
  /// Returns the exit code.
  int run();

 private:
  void receive(session::UserMessage message);
  void read_stream();
  void answer_all();
  void answer(std::vector<session::UserMessage> messages);
  std::string local_command(const std::vector<session::UserMessage>& messages) const;
  void run_local_command(const session::UserMessage& message, const std::string& name);
  Result<> clear(const session::UserMessage& message);
  void emit(const session::Event& event) { parts_->meter.emit(parts_->identity, event); }
  void complete(const session::MessageIds& messages,
                session::MessageState state = session::MessageState::completed);
  void start_session(session::StartSource source);
  void explain_denials() const;
  void report(session::TurnResult result);

  std::unique_ptr<AgentParts> parts_;
  std::unique_ptr<session::Session> session_;
  const Setup& setup_;
  const settings::Options& options_;
  session::TurnControl& control_;
  EventWriter& writer_;
  ClientSetupApplier client_setup_;
  std::size_t denials_ = 0;
  HeldResults held_;
  TaskWatcher watcher_;  // its thread uses the other members
};

}  // namespace ralph::wire

#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/session/session.h"
#include "agent/wire/agent_parts_impl.h"
#include "agent/wire/held_results.h"

namespace ralph::wire {

/// Answers the messages of the input, turn by turn, until it ends.
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
  void run_guarded(const std::function<void()>& work);
  void answer_all();
  void answer(std::vector<session::UserMessage> messages);
  std::string local_command(const std::vector<session::UserMessage>& messages) const;
  void run_local_command(const session::UserMessage& message, const std::string& name);
  Result<> clear(const session::UserMessage& message);
  void end_tasks();
  void emit(const session::Event& event) { parts_->meter.emit(parts_->identity, event); }
  void complete(const session::MessageIds& messages,
                session::MessageState state = session::MessageState::completed);
  void start_session(session::StartSource source);
  void apply_client_setup();
  void add_plan_note(session::UserMessage& message) const;
  void record_title();
  void explain_denials() const;
  void report(session::TurnResult result);
  bool subagents_open();
  void interrupt_subagents();
  void watch_tasks();
  void watch();
  void announce(const tool::TaskNotification& ended);
  void add_notes(std::vector<session::UserMessage>& messages);

  std::unique_ptr<AgentParts> parts_;
  std::unique_ptr<session::Session> session_;
  const Setup& setup_;
  const settings::Options& options_;
  session::TurnControl& control_;
  EventWriter& writer_;
  HeldResults held_;
  std::string client_schema_;  // in use
  std::size_t denials_ = 0;
  std::mutex notes_mutex_;
  std::vector<std::string> notes_;         // for the model, with the next message of the user
  std::atomic<bool> interrupted_ = false;  // the user does not want the subagents to continue
  std::mutex watch_mutex_;
  std::atomic<bool> watching_ = false;
  std::atomic<bool> announcing_ = false;
  std::jthread watcher_;  // of the background tasks; uses the other members
};

}  // namespace ralph::wire

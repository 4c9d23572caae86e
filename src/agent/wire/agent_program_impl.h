#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/session/session.h"
#include "agent/wire/agent_parts_impl.h"

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
  void answer(std::vector<session::UserMessage> messages);
  std::string local_command(const std::vector<session::UserMessage>& messages) const;
  void run_local_command(const session::UserMessage& message, const std::string& name);
  void clear(const session::UserMessage& message);
  void emit(const session::Event& event) { parts_->meter.emit(parts_->identity, event); }
  void complete(const session::MessageIds& messages,
                session::MessageState state = session::MessageState::completed);
  void start_session(std::string_view source);
  void apply_client_setup();
  void add_plan_note(session::UserMessage& message) const;
  void record_title();
  void explain_denials() const;
  void report(session::TurnResult result);
  void watch_tasks();
  void announce(const tool::TaskNotification& ended);

  std::unique_ptr<AgentParts> parts_;
  std::unique_ptr<session::Session> session_;
  const Setup& setup_;
  const settings::Options& options_;
  session::TurnControl& control_;
  EventWriter& writer_;
  std::atomic<bool>& reporting_result_;
  std::string client_schema_;  // in use
  std::int64_t results_ = 0;
  std::size_t denials_ = 0;
  bool last_is_error_ = false;
  std::atomic<bool> watching_ = false;
  std::jthread watcher_;  // of the background tasks; uses the other members
};

}  // namespace ralph::wire

#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/session/event.h"
#include "agent/session/inbox.h"
#include "agent/session/turn_control.h"
#include "agent/tool/background.h"
#include "agent/wire/agent.h"
#include "agent/wire/held_results.h"

namespace ralph::wire {

/// Watches commands and subagents that outlive their call: when one ends, the client and the model are told, the model in a new
/// turn if need be. Releases the held results if the user has stopped the subagents. Thread-safe; has a thread while tasks run.
class TaskWatcher {
 public:
  struct Links {
    const Setup& setup;
    session::SessionEvents events;
    tool::BackgroundTasks& tasks;
    session::Inbox& inbox;
    session::TurnControl& control;
    HeldResults& held;
  };
  explicit TaskWatcher(Links links) : links_(links) {}
  TaskWatcher(const TaskWatcher&) = delete;
  TaskWatcher& operator=(const TaskWatcher&) = delete;

  /// Call it when a task was started. Throws std::system_error if no thread can be started; call it again later.
  void start();
  /// Call it before TurnControl::begin_turn(): from here on an interrupt is about the new turn.
  void begin_turn() { interrupted_ = false; }
  /// Ends the subagents, which the user does not want to continue. The model learns of it with the next message of the user.
  void interrupt();
  /// A subagent works in the background, or a message about the end of a task waits for its turn. Between turns: during a turn
  /// the session can take the message at any moment.
  bool subagents_open();
  /// What the model is told with the next message of the user.
  std::vector<session::UserMessage> take_notes();
  /// Ends all tasks. What they have not reported yet is reported to nobody. Call it between turns.
  void end_all();

 private:
  void run();
  void watch();
  void announce(const tool::TaskNotification& ended);
  bool is_unwanted(const tool::TaskNotification& ended) const;

  Links links_;
  std::mutex notes_mutex_;
  std::vector<std::string> notes_;
  std::atomic<bool> interrupted_ = false;
  std::mutex announce_mutex_;  // held until a task that has left the list is announced
  std::atomic<bool> watching_ = false;
  std::mutex thread_mutex_;
  std::jthread thread_;  // uses the other members
};

}  // namespace ralph::wire

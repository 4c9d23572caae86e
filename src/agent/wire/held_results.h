#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "agent/session/event.h"
#include "agent/session/inbox.h"
#include "agent/session/ledger.h"
#include "agent/session/turn_control.h"
#include "agent/settings/options.h"
#include "agent/tool/background.h"

namespace ralph::wire {

/// The results of turns, kept while their subagents work, then reported in their order. Thread-safe.
class HeldResults {
 public:
  struct Links {
    session::SessionEvents events;
    session::Ledger& ledger;
    session::Inbox& inbox;
    tool::BackgroundTasks& tasks;
    session::TurnControl& control;
    std::function<session::SubagentStats()> subagent_stats;
    settings::Format output;
    std::atomic<bool>& reporting;  // set while a result is written
  };
  /// What became of the subagents of the turns.
  enum class Subagents { done, stopped };

  explicit HeldResults(Links links) : links_(std::move(links)) {}

  void add(session::TurnResult result);
  /// Reports all results, with the costs until now. Turns whose subagents were stopped did not succeed.
  void release(Subagents subagents);
  /// Of the last one reported.
  bool last_is_error() const { return last_is_error_; }

 private:
  void report(session::TurnResult& result);

  Links links_;
  std::mutex mutex_;
  std::int64_t added_ = 0;
  std::vector<session::TurnResult> held_;
  std::atomic<bool> last_is_error_ = false;
};

}  // namespace ralph::wire

#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "agent/subagent/host.h"
#include "agent/subagent/subagent.h"
#include "agent/tool/tool.h"

namespace ralph::subagent {

/// The subagents of a session: starts them, counts them and limits their number. Thread-safe.
class Subagents {
 public:
  /// At the same time, in the foreground and in the background.
  static constexpr std::size_t kMostAtOnce = 10;

  explicit Subagents(Host host) : host_(std::move(host)) {}
  Subagents(const Subagents&) = delete;
  Subagents& operator=(const Subagents&) = delete;

  /// Runs a subagent, or starts it in the background. `asked`: whether the call asked for the background.
  tool::Outcome run(Task task, std::optional<bool> asked, const std::stop_token& stop);
  /// Asks a subagent that a call waits for to end; false: unknown id. Those in the background: BackgroundTasks::end().
  bool end(std::string_view agent_id);
  /// Called when one was started in the background. Set before the first one.
  void when_started(std::function<void()> notify) { notify_ = std::move(notify); }

  session::SubagentStats stats() const;
  const Host& host() const { return host_; }

 private:
  friend class BackgroundAgent;
  class Slot;
  tool::Outcome run_in_foreground(Subagent& agent, const std::stop_token& stop);
  tool::Outcome run_in_background(std::unique_ptr<Subagent> agent, std::unique_ptr<Slot> slot);
  tool::Outcome not_started(const tool::BackgroundTask& facts, std::string_view why);
  std::unique_ptr<Slot> acquire(const Task& task, std::optional<bool> asked);
  void count_end(tool::TaskStatus status, tool::Ender by);

  Host host_;
  std::function<void()> notify_;
  mutable std::mutex mutex_;
  std::size_t running_ = 0;
  std::map<std::string, std::stop_source, std::less<>> waited_for_;  // by id
  session::SubagentStats stats_;
};

}  // namespace ralph::subagent

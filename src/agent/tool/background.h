#pragma once
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace ralph::tool {

class BashCommand;

/// A command or a subagent that keeps running after the call that started it.
struct BackgroundTask {
  std::string task_id;
  std::string tool_use_id;  // of that call; empty until set_call()
  std::string description;  // the model's description, or the command
  std::filesystem::path output_file;
  std::string agent_type = {};  // of a subagent; empty: it is a command
  std::string prompt = {};      // of a subagent
  bool in_background = true;    // false: the call waits for it

  bool is_subagent() const { return !agent_type.empty(); }
};

enum class TaskStatus { completed, failed, killed };
std::string_view to_string(TaskStatus status);

/// Who wanted a task to end before its work was done.
enum class Ender { none, parent, user, system };

/// What a subagent used.
struct TaskUsage {
  std::int64_t total_tokens = 0;  // of its last request, with the reply
  std::int64_t tool_uses = 0;
  Millis duration{0};
};

/// How a task ended.
struct TaskNotification {
  std::string task_id;
  std::string tool_use_id;
  TaskStatus status = TaskStatus::completed;
  std::filesystem::path output_file;
  std::string summary;
  std::string agent_type = {};   // as in BackgroundTask
  TaskUsage usage = {};          // of a subagent
  std::string message = {};      // of a subagent, for the model
  Ender ended_by = Ender::none;  // on request of one task

  bool is_subagent() const { return !agent_type.empty(); }
};

/// Work that goes on after the call that started it. The destructor ends it and waits for its end.
class BackgroundWork {
 public:
  virtual ~BackgroundWork() = default;
  /// Called once. Calls `when_ended` when the work has ended, from another thread; at once if it has ended already.
  virtual void start(std::function<void()> when_ended) = 0;
  virtual bool ended() const = 0;
  /// Asks it to end. Does not wait. The first `by` counts.
  virtual void end(Ender by) = 0;
  /// After its end.
  virtual TaskNotification notification(const BackgroundTask& task) const = 0;
};

/// Owns the background commands and subagents of a session; none outlives it. Thread-safe. Workspace::Setup points to one.
class BackgroundTasks {
 public:
  static constexpr Millis kLongest{600'000};

  /// A task that runs longer than `longest` is stopped.
  explicit BackgroundTasks(Millis longest = kLongest);
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;
  ~BackgroundTasks();

  /// Takes ownership of a running command.
  void adopt(BackgroundTask task, std::unique_ptr<BashCommand> command);
  /// Takes ownership of work and starts it.
  void adopt(BackgroundTask task, std::unique_ptr<BackgroundWork> work);
  /// Sets the call that started a task (Outcome::task).
  void set_call(std::string_view task_id, std::string_view tool_use_id);
  Millis longest() const { return longest_; }

  /// Tasks not yet returned by take_finished(), in the order they were added.
  std::vector<BackgroundTask> list() const;
  /// Whether any of them is a subagent.
  bool has_subagents() const;
  /// Tasks that ended since the last call; each is reported once.
  std::vector<TaskNotification> take_finished();
  /// Waits until take_finished() would return something. False: no task is running, or `stop` was requested.
  bool wait_for_finish(const std::stop_token& stop) const;
  /// Asks a task to end; it is then reported as `killed`. False: unknown id.
  bool end(std::string_view task_id, Ender by);
  /// Asks all subagents to end, for the user.
  void end_subagents();
  /// Ends all tasks and returns when no process of them is left. They are not reported.
  void end_all();

 private:
  struct Entry;
  Entry* find(std::string_view task_id);

  Millis longest_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace ralph::tool

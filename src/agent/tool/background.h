#pragma once
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace ralph::tool {

class BashCommand;

/// A command that runs on after the call that started it.
struct BackgroundTask {
  std::string task_id;
  std::string tool_use_id;  // of that call, once set_call() has set it
  std::string description;  // the model's own, or the command
  std::filesystem::path output_file;
};

enum class TaskStatus { completed, failed, killed };
std::string_view to_string(TaskStatus status);

/// How one ended.
struct TaskNotification {
  std::string task_id;
  std::string tool_use_id;
  TaskStatus status = TaskStatus::completed;
  std::filesystem::path output_file;
  std::string summary;
};

/// The commands of a session that run on after their calls; none outlives the session. May be used by many
/// threads. Workspace::Setup points to one.
class BackgroundTasks {
 public:
  static constexpr Millis kLongest{600'000};

  /// A task that runs longer than `longest` is ended.
  explicit BackgroundTasks(Millis longest = kLongest);
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;
  ~BackgroundTasks();

  /// Takes over a command that runs.
  void adopt(BackgroundTask task, std::unique_ptr<BashCommand> command);
  /// Sets which call a task is of (Outcome::task).
  void set_call(std::string_view task_id, std::string_view tool_use_id);
  Millis longest() const { return longest_; }

  /// Those not yet taken as finished, in the order they came.
  std::vector<BackgroundTask> list() const;
  /// Those that have ended since the last call; each is reported once.
  std::vector<TaskNotification> take_finished();
  /// Waits until take_finished() would return something. False: nothing runs, or a stop was asked for.
  bool wait_for_finish(const std::stop_token& stop) const;
  /// Asks one to end; it is then reported as `killed`. False: there is none of that name.
  bool end(std::string_view task_id);
  /// Ends all, and returns when nothing of them is alive. They are not reported.
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

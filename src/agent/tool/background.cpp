#include "agent/tool/background.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/tool/bash_command.h"

namespace ralph::tool {

struct BackgroundTasks::Entry {
  BackgroundTask task;
  std::unique_ptr<BackgroundWork> work;
  Ender ended_by = Ender::none;
};

namespace {

/// A command as background work.
class CommandWork final : public BackgroundWork {
 public:
  CommandWork(std::unique_ptr<BashCommand> command, Millis longest)
      : command_(std::move(command)), longest_(longest) {}

  void start(std::function<void()> when_ended) override {
    command_->end_after(longest_);
    command_->when_ended(std::move(when_ended));
  }
  bool ended() const override { return command_->ended(); }
  void end(Ender /*by*/) override { command_->end(); }
  TaskNotification notification(const BackgroundTask& task) const override {
    TaskNotification result{task.task_id, task.tool_use_id, {}, task.output_file, {}};
    const int code = command_->exit_code();
    const auto name = fmt::format("Background command \"{}\"", task.description);
    if (command_->was_ended()) {
      result.status = TaskStatus::killed;
      result.summary = name + " was stopped";
    } else if (code != 0) {
      result.status = TaskStatus::failed;
      result.summary = fmt::format("{} failed with exit code {}", name, code);
    } else {
      result.status = TaskStatus::completed;
      result.summary = name + " completed (exit code 0)";
    }
    return result;
  }

 private:
  std::unique_ptr<BashCommand> command_;
  Millis longest_;
};

}  // namespace

std::string_view to_string(TaskStatus status) {
  switch (status) {
    case TaskStatus::completed: return "completed";
    case TaskStatus::failed: return "failed";
    case TaskStatus::killed: return "killed";
  }
  return "failed";
}

BackgroundTasks::BackgroundTasks(Millis longest) : longest_(longest) {}

BackgroundTasks::~BackgroundTasks() { end_all(); }

void BackgroundTasks::adopt(BackgroundTask task, std::unique_ptr<BashCommand> command) {
  adopt(std::move(task), std::make_unique<CommandWork>(std::move(command), longest_));
}

void BackgroundTasks::adopt(BackgroundTask task, std::unique_ptr<BackgroundWork> work) {
  const auto notify = [this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  };
  work->start(notify);
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::make_unique<Entry>(std::move(task), std::move(work)));
  }
  notify();  // it may have ended before it was in the list
}

BackgroundTasks::Entry* BackgroundTasks::find(std::string_view task_id) {
  const auto found = std::ranges::find_if(
      entries_, [&](const auto& entry) { return entry->task.task_id == task_id; });
  return found == entries_.end() ? nullptr : found->get();
}

void BackgroundTasks::set_call(std::string_view task_id, std::string_view tool_use_id) {
  const std::lock_guard lock(mutex_);
  if (Entry* const entry = find(task_id)) entry->task.tool_use_id = tool_use_id;
}

std::vector<BackgroundTask> BackgroundTasks::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<BackgroundTask> tasks;
  for (const auto& entry : entries_) tasks.push_back(entry->task);
  return tasks;
}

bool BackgroundTasks::has_subagents() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [](const auto& entry) { return entry->task.is_subagent(); });
}

void BackgroundTasks::end_subagents() {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) {
    if (entry->task.is_subagent()) entry->work->end(Ender::user);
  }
}

std::vector<TaskNotification> BackgroundTasks::take_finished() {
  // Destroyed without the lock: the thread of the work may be waiting for it.
  std::vector<std::unique_ptr<Entry>> finished;
  {
    const std::lock_guard lock(mutex_);
    for (auto& entry : entries_) {
      if (entry->work->ended()) finished.push_back(std::move(entry));
    }
    std::erase(entries_, nullptr);
  }
  std::vector<TaskNotification> result;
  for (const auto& entry : finished) {
    result.push_back(entry->work->notification(entry->task));
    result.back().ended_by = entry->ended_by;
  }
  return result;
}

bool BackgroundTasks::wait_for_finish(const std::stop_token& stop) const {
  const auto any_ended = [this] {
    return std::ranges::any_of(entries_, [](const auto& entry) { return entry->work->ended(); });
  };
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return entries_.empty() || any_ended(); });
  return any_ended();
}

bool BackgroundTasks::end(std::string_view task_id, Ender by) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = find(task_id);
  if (entry == nullptr) return false;
  entry->ended_by = by;
  entry->work->end(by);
  return true;
}

void BackgroundTasks::end_all() {
  std::vector<std::unique_ptr<Entry>> all;
  {
    const std::lock_guard lock(mutex_);
    all = std::move(entries_);
    entries_.clear();
    changed_.notify_all();
  }
  for (const auto& entry : all) entry->work->end(Ender::system);
}

}  // namespace ralph::tool

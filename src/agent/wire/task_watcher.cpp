#include "agent/wire/task_watcher.h"

#include <system_error>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "agent/wire/run_guarded.h"

namespace ralph::wire {
namespace {

std::string text_for_model(const tool::TaskNotification& ended) {
  if (!ended.message.empty()) return ended.message;
  return fmt::format(
      "<task-notification>\nTask {} has ended: {}\n{}\nIts output is in {}\n</task-notification>",
      ended.task_id, to_string(ended.status), ended.summary, ended.output_file.string());
}

session::UserMessage notification_of(std::string_view text) {
  return {.content = session::text_content(text), .notification = true};
}

}  // namespace

void TaskWatcher::start() {
  const std::lock_guard lock(thread_mutex_);
  if (links_.tasks.list().empty() || watching_.exchange(true)) return;
  links_.inbox.hold();
  try {
    thread_ = std::jthread([this] { run(); });
  } catch (const std::system_error&) {
    watching_ = false;
    links_.inbox.release();
    throw;
  }
}

void TaskWatcher::run() {
  run_guarded(links_.setup, links_.control, [this] {
    do {
      watch();
      watching_ = false;
      // A task that was added just now saw watching_ still set.
    } while (!links_.control.over().stop_requested() && !links_.tasks.list().empty() &&
             !watching_.exchange(true));
  });
  links_.inbox.release();
}

void TaskWatcher::watch() {
  while (links_.tasks.wait_for_finish(links_.control.over())) {
    const std::lock_guard lock(announce_mutex_);
    for (const auto& ended : links_.tasks.take_finished()) announce(ended);
    if (!interrupted_ || links_.control.abandoned()) continue;
    links_.held.release(HeldResults::Subagents::stopped);  // no turn will do so
  }
}

bool TaskWatcher::is_unwanted(const tool::TaskNotification& ended) const {
  const bool stopped =
      ended.is_subagent() ? interrupted_.load() : ended.ended_by == tool::Ender::user;
  return stopped && ended.status == tool::TaskStatus::killed;
}

void TaskWatcher::announce(const tool::TaskNotification& ended) {
  const bool unwanted = is_unwanted(ended);
  if (unwanted) {  // before the client sees the end and sends a message
    const std::lock_guard lock(notes_mutex_);
    notes_.push_back(text_for_model(ended));
  }
  links_.events.emit(session::TaskUpdated{ended});
  links_.events.emit(session::TaskEnded{ended});
  links_.events.emit(session::TasksChanged{links_.tasks.list()});
  if (!unwanted) links_.inbox.push(notification_of(text_for_model(ended)));
}

void TaskWatcher::interrupt() {
  if (!links_.tasks.has_subagents()) return;
  interrupted_ = true;
  links_.tasks.end_subagents();
}

bool TaskWatcher::subagents_open() {
  const std::lock_guard lock(announce_mutex_);
  return links_.tasks.has_subagents() || links_.inbox.has_notification();
}

std::vector<session::UserMessage> TaskWatcher::take_notes() {
  const std::lock_guard lock(notes_mutex_);
  std::vector<session::UserMessage> messages;
  for (const auto& text : std::exchange(notes_, {})) messages.push_back(notification_of(text));
  return messages;
}

void TaskWatcher::end_all() {
  links_.tasks.end_all();
  {
    const std::lock_guard lock(thread_mutex_);
    if (thread_.joinable()) thread_.join();
  }
  links_.inbox.drop_notifications();
  const std::lock_guard lock(notes_mutex_);
  notes_.clear();
}

}  // namespace ralph::wire

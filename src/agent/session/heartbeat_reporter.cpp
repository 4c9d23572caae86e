#include "agent/session/heartbeat_reporter.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "core/base/id.h"
#include "core/base/log.h"
#include "core/json/field.h"

namespace ralph::session {

/// A client that reads slowly delays only the command that is reported.
void HeartbeatReporter::report(Command& command, std::unique_lock<std::mutex>& lock) {
  const bool first = !std::exchange(command.reported, true);
  const auto beat = first ? 0 : command.beats++;
  command.next = command.began + times_.beat * (command.beats + 1);
  in_report_ = &command;
  lock.unlock();
  try {
    if (first) {
      events_.emit(CommandStarted{command.id, command.call, command.description});
    } else {
      events_.emit(CommandRunning{command.call, beat, since(command.began)});
    }
  } catch (const std::exception& error) {  // the command goes on without this report
    log::debug("session", error.what());
  }
  lock.lock();
  in_report_ = nullptr;
  changed_.notify_all();
}

void HeartbeatReporter::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = std::ranges::min_element(commands_, {}, &Command::next);
    const auto other_list = [this, seen = changes_] { return changes_ != seen; };
    if (first == commands_.end()) {
      changed_.wait(lock, stop, other_list);
    } else if (const auto when = first->next; std::chrono::steady_clock::now() < when) {
      // A copy: the command may be removed meanwhile.
      changed_.wait_until(lock, stop, when, other_list);
    } else {
      report(*first, lock);
    }
  }
}

HeartbeatReporter::Place HeartbeatReporter::add(const api::Block& call,
                                                const json::Document& input) {
  auto description = json::text(input, "description");
  if (description.empty()) description = json::text(input, "command");
  const auto began = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  try {
    if (!thread_.joinable()) {
      thread_ = std::jthread([this](const std::stop_token& stop) { this->run(stop); });
    }
  } catch (const std::system_error& error) {
    log::debug("session", error.what());
  }
  const auto place = commands_.insert(
      commands_.end(),
      {call, "b" + random_hex(4), std::move(description), began, began + times_.first});
  ++changes_;
  changed_.notify_all();
  return place;
}

HeartbeatReporter::Command HeartbeatReporter::remove(Place place) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_report_ != &*place; });
  auto command = std::move(*place);
  commands_.erase(place);
  ++changes_;
  changed_.notify_all();
  return command;
}

tool::Outcome HeartbeatReporter::watch(const api::Block& call, const json::Document& input,
                                       const std::function<tool::Outcome()>& call_tool) {
  if (call.name != "Bash") return call_tool();
  const auto place = add(call, input);
  tool::Outcome outcome;
  try {
    outcome = call_tool();
  } catch (...) {  // for the caller
    remove(place);
    throw;
  }
  const auto ended = remove(place);
  if (!ended.reported) return outcome;
  const bool failed = outcome.is_error.value_or(false);
  const auto moved = outcome.task.empty()
                         ? std::string()
                         : fmt::format(" (continues in the background: {})", outcome.task);
  events_.emit(CommandEnded{ended.id, call,
                            failed ? tool::TaskStatus::failed : tool::TaskStatus::completed,
                            ended.description + moved});
  return outcome;
}

}  // namespace ralph::session

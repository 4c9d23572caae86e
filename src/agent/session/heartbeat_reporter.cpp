#include "agent/session/heartbeat_reporter.h"

#include <algorithm>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "core/base/id.h"
#include "core/json/field.h"

namespace ralph::session {

void HeartbeatReporter::report(Command& command) {
  if (!command.reported) {
    command.reported = true;
    events_.emit(CommandStarted{command.id, command.call, command.description});
  } else {
    events_.emit(CommandRunning{command.call, command.beats++, since(command.began)});
  }
  command.next = command.began + times_.beat * (command.beats + 1);
}

void HeartbeatReporter::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = std::ranges::min_element(commands_, {}, &Command::next);
    if (first == commands_.end()) {
      changed_.wait(lock, stop, [this] { return !commands_.empty(); });
    } else if (const auto when = first->next; std::chrono::steady_clock::now() < when) {
      // A copy: the command may be gone meanwhile.
      changed_.wait_until(lock, stop, when, [] { return false; });
    } else {
      report(*first);
    }
  }
}

tool::Outcome HeartbeatReporter::watch(const api::Block& call, const json::Document& input,
                                       const std::function<tool::Outcome()>& call_tool) {
  if (call.name != "Bash") return call_tool();
  auto description = json::text(input, "description");
  if (description.empty()) description = json::text(input, "command");
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const auto command = commands_.insert(
      commands_.end(),
      {call, "b" + random_hex(4), std::move(description), began, began + times_.first});
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { this->run(stop); });
  }
  lock.unlock();
  changed_.notify_one();

  const auto take_out = [&] {
    const std::lock_guard again(mutex_);
    auto ended = std::move(*command);
    commands_.erase(command);
    return ended;
  };
  tool::Outcome outcome;
  try {
    outcome = call_tool();
  } catch (...) {  // for the caller
    take_out();
    throw;
  }
  const auto ended = take_out();
  if (!ended.reported) return outcome;
  const bool failed = outcome.is_error.value_or(false);
  const auto moved = outcome.task.empty()
                         ? std::string()
                         : fmt::format(" (goes on in the background: {})", outcome.task);
  events_.emit(CommandEnded{ended.id, call,
                            failed ? tool::TaskStatus::failed : tool::TaskStatus::completed,
                            ended.description + moved});
  return outcome;
}

}  // namespace ralph::session

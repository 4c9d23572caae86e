#include "agent/session/heartbeat_reporter.h"

#include <algorithm>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "core/base/id.h"
#include "core/json/field.h"

namespace ralph::session {

void HeartbeatReporter::tell_of(Command& command) {
  if (!command.told) {
    command.told = true;
    writer_.event(events_.command_started(command.id, command.call, command.what));
  } else {
    writer_.event(events_.heartbeat(command.call, command.beats++, since(command.began)));
  }
  command.next = command.began + times_.beat * (command.beats + 1);
}

void HeartbeatReporter::tell(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = std::ranges::min_element(commands_, {}, &Command::next);
    if (first == commands_.end()) {
      changed_.wait(lock, stop, [this] { return !commands_.empty(); });
    } else if (const auto when = first->next; std::chrono::steady_clock::now() < when) {
      // A copy: the command may be gone meanwhile.
      changed_.wait_until(lock, stop, when, [] { return false; });
    } else {
      tell_of(*first);
    }
  }
}

tool::Outcome HeartbeatReporter::watch(const api::Block& call, const json::Document& input,
                                       const std::function<tool::Outcome()>& run) {
  if (call.name != "Bash") return run();
  auto what = json::text(input, "description");
  if (what.empty()) what = json::text(input, "command");
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const auto command = commands_.insert(
      commands_.end(), {call, "b" + random_hex(4), std::move(what), began, began + times_.first});
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
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
    outcome = run();
  } catch (...) {  // for who called us
    take_out();
    throw;
  }
  const auto ended = take_out();
  if (!ended.told) return outcome;
  const bool failed = outcome.is_error.value_or(false);
  const auto moved = outcome.task.empty()
                         ? std::string()
                         : fmt::format(" (goes on in the background: {})", outcome.task);
  writer_.event(
      events_.command_ended(ended.id, call, failed ? "failed" : "completed", ended.what + moved));
  return outcome;
}

}  // namespace ralph::session

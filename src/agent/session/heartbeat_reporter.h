#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/api/reply.h"
#include "agent/session/event.h"
#include "agent/tool/tool.h"
#include "core/base/time.h"
#include "core/json/document.h"

namespace ralph::session {

/// When a running command is reported.
struct HeartbeatTimes {
  Millis first{3'000};  // first report
  Millis beat{30'000};  // between later reports
};

/// Reports commands that take long, so that a client can tell a busy agent from a dead one. Thread-safe; starts a thread of
/// its own with the first command; if it cannot be started, nothing is reported.
class HeartbeatReporter {
 public:
  HeartbeatReporter(HeartbeatTimes times, const SessionEvents& events)
      : times_(times), events_(events) {}

  /// Runs a call; if it takes long, reports that it runs and how it ended.
  tool::Outcome watch(const api::Block& call, const json::Document& input,
                      const std::function<tool::Outcome()>& run);

 private:
  struct Command {
    const api::Block& call;
    std::string id, description;
    SteadyTime began, next;  // is reported then
    std::int64_t beats = 0;
    bool reported = false;
  };
  using Place = std::list<Command>::iterator;
  Place add(const api::Block& call, const json::Document& input);
  Command remove(Place place);
  void run(const std::stop_token& stop);
  void report(Command& command, std::unique_lock<std::mutex>& lock);

  HeartbeatTimes times_;
  SessionEvents events_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Command> commands_;
  std::uint64_t changes_ = 0;           // of the list
  const Command* in_report_ = nullptr;  // being written, without the lock: it must stay
  std::jthread thread_;
};

}  // namespace ralph::session

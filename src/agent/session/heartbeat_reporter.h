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
  Millis first{3'000};  // that it runs
  Millis beat{30'000};  // that it still does, again and again
};

/// Reports commands that take long, so that silence does not look like a dead agent. Used by many threads; one of its own
/// reports, from the first command on.
class HeartbeatReporter {
 public:
  HeartbeatReporter(HeartbeatTimes times, const SessionEvents& events)
      : times_(times), events_(events) {}

  /// Runs a call and reports it meanwhile, and at last how it ended, if it takes long enough.
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
  void run(const std::stop_token& stop);
  void report(Command& command);

  HeartbeatTimes times_;
  SessionEvents events_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Command> commands_;
  std::jthread thread_;
};

}  // namespace ralph::session

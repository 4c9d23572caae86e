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
#include "agent/session/event_writer.h"
#include "agent/session/events.h"
#include "agent/tool/tool.h"
#include "core/base/time.h"
#include "core/json/document.h"

namespace ralph::session {

/// When a command that runs is told of.
struct HeartbeatTimes {
  Millis first{3'000};  // that it runs
  Millis beat{30'000};  // that it still does, again and again
};

/// Tells the client of commands that take long, so that silence is no sign of death. Used by many threads; one of its own
/// tells, from the first command on.
class HeartbeatReporter {
 public:
  HeartbeatReporter(HeartbeatTimes times, EventWriter& writer, const EventMaker& events)
      : times_(times), writer_(writer), events_(events) {}

  /// Runs a call and tells of it meanwhile, and at last how it ended, if it takes long enough.
  tool::Outcome watch(const api::Block& call, const json::Document& input,
                      const std::function<tool::Outcome()>& run);

 private:
  struct Command {
    const api::Block& call;
    std::string id, what;
    SteadyTime began, next;  // is told of then
    std::int64_t beats = 0;
    bool told = false;
  };
  void tell(const std::stop_token& stop);
  void tell_of(Command& command);

  HeartbeatTimes times_;
  EventWriter& writer_;
  const EventMaker& events_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Command> commands_;
  std::jthread thread_;
};

}  // namespace ralph::session

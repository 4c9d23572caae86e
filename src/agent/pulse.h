#pragma once
#include <functional>

#include "agent/events.h"
#include "agent/wire.h"
#include "api/reply.h"
#include "base/time.h"
#include "json/document.h"
#include "tool/tool.h"

namespace ralph::agent {

/// When a command that runs is told of.
struct PulseTimes {
  Millis first{3'000};  // that it runs
  Millis beat{30'000};  // that it still does, again and again
};

/// Tells the client of commands that take long, so that silence is no sign of death. Used by many threads.
class Pulse {
 public:
  Pulse(PulseTimes times, Wire& wire, const EventMaker& events)
      : times_(times), wire_(wire), events_(events) {}

  /// Runs a call and tells of it meanwhile, and at last how it ended, if it takes long enough.
  tool::Outcome watch(const api::Block& call, const json::Document& input,
                      const std::function<tool::Outcome()>& run) const;

 private:
  PulseTimes times_;
  Wire& wire_;
  const EventMaker& events_;
};

}  // namespace ralph::agent

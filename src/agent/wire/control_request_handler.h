#pragma once
#include "agent/wire/event_writer.h"
#include "agent/wire/input_line.h"

namespace ralph::wire {

class AgentParts;

/// Answers the client's control requests on the thread that reads them, also during a turn.
class ControlRequestHandler {
 public:
  ControlRequestHandler(EventWriter& writer, AgentParts& parts) : writer_(writer), parts_(parts) {}

  void handle(const ControlRequest& request);

 private:
  EventWriter& writer_;
  AgentParts& parts_;
};

}  // namespace ralph::wire

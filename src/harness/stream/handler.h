#pragma once
#include "harness/stream/event.h"

namespace ralph::stream {

/// Receives the events of an agent: console, journal, summary, a test.
/// Override what you care about; dispatch() calls the one that fits.
class Handler {
 public:
  virtual ~Handler() = default;

  virtual void on(const Event&, const SessionStarted&) {}
  virtual void on(const Event&, const TurnStarted&) {}
  virtual void on(const Event&, const Text&) {}
  virtual void on(const Event&, const Thinking&) {}
  virtual void on(const Event&, const ToolCall&) {}
  virtual void on(const Event&, const ToolOutput&) {}
  virtual void on(const Event&, const ToolResult&) {}
  virtual void on(const Event&, const Usage&) {}
  virtual void on(const Event&, const Retry&) {}
  virtual void on(const Event&, const Notice&) {}
  virtual void on(const Event&, const ErrorEvent&) {}
  virtual void on(const Event&, const TurnEnded&) {}
  virtual void on(const Event&, const RunResult&) {}
  virtual void on(const Event&, const Unknown&) {}

  /// Every event, before its own on(); for handlers that treat all events alike.
  virtual void on_any(const Event&) {}
};

void dispatch(const Event& event, Handler& handler);

}  // namespace ralph::stream

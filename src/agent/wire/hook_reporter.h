#pragma once
#include "agent/hook/observer.h"
#include "agent/session/event.h"
#include "agent/wire/agent.h"

namespace ralph::wire {

/// Reports hooks: failures on stderr, messages for the user as notices, and, as Claude Code does, starts and answers of
/// SessionStart hooks always, of others with --include-hook-events.
class HookReporter final : public hook::Observer {
 public:
  HookReporter(const Setup& setup, session::SessionEvents events)
      : setup_(setup), events_(events) {}
  void on_start(const hook::HookStart& start) override;
  void on_end(const hook::HookStart& start, const hook::HookEnd& end) override;

 private:
  bool shows(hook::Event event) const;

  const Setup& setup_;
  session::SessionEvents events_;
};

}  // namespace ralph::wire

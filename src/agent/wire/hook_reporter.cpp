#include "agent/wire/hook_reporter.h"

#include <fmt/core.h>

#include "agent/wire/agent_parts_impl.h"

namespace ralph::wire {

bool HookReporter::shows(hook::Event event) const {
  return setup_.options.hook_events || event == hook::Event::session_start;
}

void HookReporter::on_start(const hook::HookStart& start) {
  if (shows(start.event)) events_.emit(session::HookStarted{start});
}

void HookReporter::on_end(const hook::HookStart& start, const hook::HookEnd& end) {
  if (shows(start.event)) events_.emit(session::HookEnded{start, end});
  for (const auto& notice : end.notices) events_.emit(session::Notice{notice});
  if (end.problem.empty()) return;
  warn(setup_, fmt::format("ralph: hook {} [{}] failed{}: {}", start.name, start.command,
                           end.blocks ? " and therefore blocks" : "", end.problem));
}

}  // namespace ralph::wire

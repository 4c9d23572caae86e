#include "agent/wire/run_guarded.h"

#include <exception>
#include <new>

#include <fmt/core.h>

#include "agent/wire/prepared_impl.h"

namespace ralph::wire {

void run_guarded(const Setup& setup, session::TurnControl& control,
                 const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    control.abandon(1);
    warn(setup, "ralph: out of memory; agent stopped (a limit such as ulimit -v may be too low)");
  } catch (const std::exception& error) {
    control.abandon(1);
    warn(setup, fmt::format("ralph: internal error: {}; agent stopped", error.what()));
  }
}

}  // namespace ralph::wire

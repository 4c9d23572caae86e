#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "harness/run/control.h"
#include "harness/run/request.h"
#include "harness/stream/handler.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Receivers of the events of a run. The summary gets every event first, then the handlers in order.
struct RunObservers {
  stream::Summary& summary;
  std::vector<stream::Handler*> handlers;
  std::function<void()> flush;  // called when no more events are pending
  /// Called from any thread when ralph ends the agent: how long to wait for a reader that does not
  /// read.
  std::function<void(Millis)> set_drain_timeout;
  /// Gets the bytes of stdout and stderr in the order of their arrival, after the raw log has them. Empty: nothing does.
  process::Sink on_output = {};
};

/// How a run ended. Without a start (`start_error`) there is no log and no event.
struct Report {
  stream::Verdict verdict;
  std::optional<Error> start_error;
  std::filesystem::path raw_log, journal;
  std::optional<Error> not_recorded;  // the journal is incomplete
  stream::ProcessEnd process = {};    // of the last attempt
};

/// Plans the start of the agent: finds the session to continue, makes the backend's command line, adds the sandbox.
/// Writes nothing and starts no agent. `summary` gets the earlier cost of the session.
Result<backend::Plan> prepare(Request& request, std::vector<std::string>& warnings,
                              stream::Summary* summary = nullptr);

/// The path of the raw log, without its suffix, of a run that begins at `start`.
std::filesystem::path raw_log_base(const Request& request, UtcTime start);

/// Runs an agent to its end, with retries, under the workspace's lock. Logs, journal and state are complete in every
/// case. The last event is the result.
Report run(Request request, const RunObservers& observers, Control& control, const Masker& masker);

}  // namespace ralph::run

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

namespace ralph::run {

/// Who wants to see the run. The summary gets every event first, then the handlers in their order.
struct Audience {
  stream::Summary& summary;
  std::vector<stream::Handler*> handlers;
  std::function<void()> flush;  // called when nothing more is coming for the moment
  /// Called from any thread when the run comes to its end by force: a reader that takes nothing for so long is not
  /// waited for.
  std::function<void(Millis)> hurry;
};

/// What became of a run. One that could not begin has no log and published no event: `not_begun` says why.
struct Report {
  stream::Verdict verdict;
  std::optional<Error> not_begun;
  std::filesystem::path raw_log, journal;
  std::optional<Error> not_recorded;  // the journal is incomplete
};

/// How the agent would be started: the session to continue found, the backend's command line made, the sandbox put
/// around it. Reads, but writes nothing and starts no agent. `summary` is told what the session had cost before.
Result<backend::Plan> prepare(Request& request, std::vector<std::string>& warnings,
                              stream::Summary* summary = nullptr);

/// Where the raw log of a run that begins at `start` goes.
std::filesystem::path raw_log_base(const Request& request, UtcTime start);

/// One supervised run: takes the workspace's lock, starts the agent, shows it to the audience, judges how it ended,
/// starts it again where that is worth it, and leaves logs, journal and state whole in every case. The last event is
/// the result.
Report run(Request request, const Audience& audience, Control& control, const Masker& masker);

/// The outcome of an error before the agent ran.
stream::Outcome outcome_of(const Error& error);

}  // namespace ralph::run

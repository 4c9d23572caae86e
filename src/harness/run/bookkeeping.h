#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/run/request.h"
#include "harness/store/workspace.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::run {

/// Finds the session to continue and returns its earlier cost. Warns if there is none, or if it was started with another
/// system prompt.
double find_session(Request& request, std::vector<std::string>& warnings);

/// The agent was asked to continue a session and worked in another one. False if it only reported an error with a new id,
/// as for a session that does not exist.
bool forked_session(const Request& request, const stream::Summary& summary);

/// A new session is known to --continue as soon as the agent names it, also if ralph is killed then.
Result<> save_new_session(const Request& request, const store::Workspace& workspace,
                          const stream::Summary& summary, std::vector<std::string>& warnings);

/// Saves the session of the mode and the total cost in the workspace's state files.
Result<> save_state(const Request& request, const store::Workspace& workspace,
                    const stream::Summary& summary, const stream::Verdict& verdict,
                    std::vector<std::string>& warnings);

/// The directory for raw logs, created if missing. One that the user chose may be reached by links; one in `.ralph` may
/// not.
Result<store::Location> log_folder(const std::filesystem::path& log_dir,
                                   const store::Workspace& workspace);

}  // namespace ralph::run

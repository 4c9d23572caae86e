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

/// Finds the session the request goes on with, and what that session had cost before. Warns of what a person
/// would not expect: there is none, its system prompt was another one.
double find_session(Request& request, std::vector<std::string>& warnings);

/// The agent was asked to go on with a session and worked in another one. An error that names a new session, as for one that
/// does not exist, is none.
bool went_on_elsewhere(const Request& request, const stream::Summary& summary);

/// Puts the run into the workspace's state files: the mode's session, and what everything cost.
Result<> save_state(const Request& request, const store::Workspace& workspace,
                    const stream::Summary& summary, const stream::Verdict& verdict,
                    std::vector<std::string>& warnings);

/// The folder for raw logs, made when it is missing. One that the user chose may be a link or be reached by links; one in
/// `.ralph` may not.
Result<store::Location> log_folder(const std::filesystem::path& log_dir,
                                   const store::Workspace& workspace);

}  // namespace ralph::run

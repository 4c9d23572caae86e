#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/request.h"
#include "store/workspace.h"
#include "stream/summary.h"

namespace ralph::run {

/// Finds the session the request goes on with, and what that session had cost before. Warns of what a person
/// would not expect: there is none, its system prompt was another one.
double find_session(Request& request, std::vector<std::string>& warnings);

/// Puts the run into the workspace's state files: the mode's session, and what everything cost.
Result<> save_state(const Request& request, const store::Workspace& workspace,
                    const stream::Summary& summary, std::vector<std::string>& warnings);

/// The folder for raw logs, made when it is missing. One that the user chose may be a link or be reached by links; one in
/// `.ralph` may not.
Result<store::Location> log_folder(const std::filesystem::path& log_dir,
                                   const store::Workspace& workspace);

}  // namespace ralph::run

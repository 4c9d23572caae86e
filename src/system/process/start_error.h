#pragma once
#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "system/process/command.h"
#include "system/process/guard/protocol.h"

namespace ralph::process {

/// Explains why a program did not start: which step failed, and what the file is
/// like.
Error explain_start_failure(const guard::Report& report, const std::string& program,
                            const Command& command);

/// For E2BIG: names the argument that is too long, or reports the total.
Error explain_too_long(const Command& command);

/// The working directory does not exist, is not a directory, or cannot be entered.
Result<> check_folder(const std::filesystem::path& folder);

}  // namespace ralph::process

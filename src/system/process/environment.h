#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/process/command.h"

namespace ralph::process {

/// Our environment with the changes applied, as "NAME=value" entries.
Result<std::vector<std::string>> changed_environment(const std::vector<EnvChange>& changes);

/// The value of a variable in "NAME=value" entries, the first one; a view into `entries`.
std::optional<std::string_view> variable(const std::vector<std::string>& entries,
                                         std::string_view name);

/// The path to execute for a program name: as it is when it has a slash, otherwise the first
/// executable file of that name in the PATH of `environment`. Relative directories count from `cwd`
/// (empty: that of ralph).
Result<std::string> find_program(std::string_view name, const std::vector<std::string>& environment,
                                 const std::filesystem::path& cwd);

}  // namespace ralph::process

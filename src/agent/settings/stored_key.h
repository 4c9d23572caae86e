#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/settings/environment.h"
#include "core/base/result.h"

namespace ralph::settings {

/// The key that `ralph auth login` stores in a file that only the owner can read.
std::filesystem::path stored_key_path(const Environment& environment);
/// nullopt: none is stored. An error names the file.
Result<std::optional<std::string>> read_stored_key(const Environment& environment);
Result<> store_key(const Environment& environment, std::string_view key);
/// False: there was none.
Result<bool> forget_key(const Environment& environment);

}  // namespace ralph::settings

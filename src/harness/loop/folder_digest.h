#pragma once
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace ralph::loop {

/// An id of what a directory holds, for directories without git: names, sizes, modes and times of its files, but for
/// `.git`, `.ralph`, ralph's state directory and what this process writes its own output to. Code::limit when there are
/// too many to look at.
Result<std::string> folder_digest(const std::filesystem::path& folder,
                                  const std::filesystem::path& state_folder);

}  // namespace ralph::loop

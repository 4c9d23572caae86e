#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::tool {

/// Several patterns in one text are parted by blanks, or by commas outside of braces.
std::vector<std::string> split_globs(std::string_view text);

/// A pattern of files that counts from one folder as patterns that count from a folder below it, for a search there.
/// Empty: nothing there can match. A pattern without a slash matches at any depth and stays as it is. Over 64
/// alternatives in braces are an error.
Result<std::vector<std::string>> rebased_globs(std::string_view glob,
                                               const std::filesystem::path& below);

}  // namespace ralph::tool

#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::tool {

/// Splits a list of patterns at blanks and at commas outside braces.
std::vector<std::string> split_globs(std::string_view text);

/// Converts a pattern relative to one directory to patterns relative to a directory below it. Empty: nothing there can
/// match. A pattern without a slash matches at any depth and stays unchanged. More than 64 alternatives in braces are an
/// error.
Result<std::vector<std::string>> rebased_globs(std::string_view glob,
                                               const std::filesystem::path& below);

}  // namespace ralph::tool

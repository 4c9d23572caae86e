#pragma once
#include <filesystem>

#include "tool/shell_words.h"

namespace ralph::tool {

/// Whether git can look at things in a folder without starting a program that the repository names: no folder from there
/// up is laid out like a bare repository, and no repository's own settings name a filter, a converter, a monitor …
bool git_only_looks(const std::filesystem::path& folder);

/// Whether the line runs git and also makes files that could become the repository git finds.
bool makes_what_git_reads(const ShellLine& line);

}  // namespace ralph::tool

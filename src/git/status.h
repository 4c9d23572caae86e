#pragma once
#include <string_view>

#include "git/git.h"

namespace ralph::git {

/// Reads `git status --porcelain=v2 --branch`; its first lines tell everything, the rest may be missing.
State parse_status(std::string_view text);

}  // namespace ralph::git

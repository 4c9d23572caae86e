#pragma once
#include "core/base/shell_words.h"

namespace ralph::permission {

/// Whether git is told, or may be told, to show what is in files, of now or of before.
bool git_shows_contents(const ShellCommand& command);

}  // namespace ralph::permission

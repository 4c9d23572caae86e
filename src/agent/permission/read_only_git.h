#pragma once
#include "core/base/shell_words.h"

namespace ralph::permission {

/// Whether git may show the content of files, current or committed.
bool git_shows_contents(const ShellCommand& command);

}  // namespace ralph::permission

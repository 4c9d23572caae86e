#pragma once
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::log {

/// Reads RALPH_LOG ("debug" switches on) and RALPH_LOG_FILE (default: stderr). Called once by cli;
/// `mask` is applied to all text, so that a debug log never contains a secret. Callers report an error as a
/// warning.
Result<> configure(std::string (*mask)(std::string_view));

bool enabled();

/// What debug lines are written to: stderr, or the file of RALPH_LOG_FILE.
int descriptor();

/// One line "2026-11-15T14:37:40.123Z debug module: text", masked, then cut, without control characters, in
/// one write(2). Never stdout.
void debug(std::string_view module_name, std::string_view text);

}  // namespace ralph::log

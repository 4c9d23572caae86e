#pragma once
#include <string>
#include <string_view>

namespace ralph::log {

/// Reads RALPH_LOG ("debug" switches on) and RALPH_LOG_FILE (default: stderr). Called once by cli;
/// everything logged passes `mask` first, so that a debug log never holds a secret.
void configure(std::string (*mask)(std::string_view));

bool enabled();

/// One line "2026-11-15T14:37:40.123Z debug room: text", written with one write(2). Never stdout.
void debug(std::string_view room, std::string_view text);

}  // namespace ralph::log

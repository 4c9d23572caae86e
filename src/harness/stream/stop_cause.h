#pragma once

namespace ralph::stream {

/// Stands for 'ralph stop --now' where the number of the signal that stopped ralph is kept. No signal has it.
inline constexpr int kStopCommand = 1000;

/// Of a ralph that was stopped by that signal: 128 and its number; of 'ralph stop --now' that of a Ctrl-C.
int exit_code_of_stop(int signal_number);

}  // namespace ralph::stream

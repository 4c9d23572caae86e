#pragma once
#include <array>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "system/process/command.h"

namespace ralph::process {

/// Both sides of a program's stdin, stdout and stderr: pipes, or a raw PTY for stdin and stdout. Those it inherits have none of
/// ours.
struct Stdio {
  std::array<UniqueFd, 3> theirs;  // what the program gets as 0, 1, 2
  UniqueFd in;                     // ours, non-blocking; none for StdinNull
  UniqueFd out;
  UniqueFd err;
  int tty_fd = -1;  // the program's descriptor that is its terminal, -1: none
};

Result<Stdio> make_stdio(const Command& command);

/// The same descriptor with a number that can be dup2()ed to 0 … 4 without being overwritten first.
Result<UniqueFd> dup_above_stdio(UniqueFd fd);

}  // namespace ralph::process

#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "system/process/confinement.h"
#include "system/process/env_change.h"

namespace ralph::process {

/// How stdin and stdout of the program are connected. stderr is a separate pipe, unless all three are inherited.
/// The PTY is in raw mode and is the program's controlling terminal. `inherit`: our own stdin, stdout and stderr, of which
/// supervise() sees nothing; Command::input is not used.
enum class Transport { pipe, pty, inherit };

/// End of input at once. On a PTY too: stdin is then /dev/null, only stdout is the terminal.
struct StdinNull {};
/// These bytes, then end of input. Refused with a PTY: a raw terminal cannot say "end of input".
struct StdinText {
  std::string bytes;
};
/// These bytes, then it stays open: RunHandle::write() sends, RunHandle::close_stdin() ends it (on a PTY: only our writing).
struct StdinOpen {
  std::string bytes = {};
};
using Stdin = std::variant<StdinNull, StdinText, StdinOpen>;

struct TerminalSize {
  unsigned short columns = 120;
  unsigned short rows = 40;
};

/// System calls denied to a program in bubblewrap, in addition to its mounts and namespaces.
enum class SandboxFilter {
  none,
  keyrings,              // reach the kernel's keyrings; its session keyring is a new one
  keyrings_and_sockets,  // also open sockets that no network namespace holds, such as AF_VSOCK
  keyrings_sockets_and_tracing,  // also read and change the memory and descriptors of other processes
};

/// A program to start. argv goes to exec as it is: no shell, no quoting, NUL bytes are refused.
/// argv[0] without a slash is looked up in the PATH the program will see; a relative path counts
/// from the program's working directory.
struct Command {
  std::vector<std::string> argv;
  std::filesystem::path cwd;  // empty: that of ralph
  std::vector<EnvChange> env;
  Transport transport = Transport::pipe;
  Stdin input = StdinNull{};
  TerminalSize terminal;  // for Transport::pty
  /// For a program that wraps the one meant (a sandbox): how many generations below it that one is,
  /// the first child of each. RunHandle::send_signal goes there.
  int wrapper_depth = 0;
  /// What the kernel keeps the program to. A part of it that cannot be enforced is an error of start().
  std::optional<Confinement> confinement = std::nullopt;
  /// For bubblewrap as argv[0], which loads the filter last (--seccomp) and so may have the setuid bit.
  SandboxFilter sandbox_filter = SandboxFilter::none;
  /// The mechanism; nullopt: what support_for() finds on this machine.
  std::optional<ConfinementSupport> support = std::nullopt;
};

}  // namespace ralph::process

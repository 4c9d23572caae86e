#include "system/process/stdio.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace ralph::process {

namespace {

constexpr int kLowestFreeFd = 16;
constexpr const char* kTooManyFiles =
    "close other programs, or raise the limit on open files (ulimit -n)";

Result<> set_nonblocking(const UniqueFd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return fail_errno(errno, "cannot make a pipe non-blocking");
  }
  return {};
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno(errno, "cannot create a pipe", kTooManyFiles);
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<> connect_output(UniqueFd& ours, UniqueFd& theirs) {
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY(set_nonblocking(pipe.read));
  ours = std::move(pipe.read);
  TRY_ASSIGN(theirs, dup_above_stdio(std::move(pipe.write)));
  return {};
}

Result<> connect_null_input(Stdio& stdio) {
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null) return fail_errno(errno, "cannot open /dev/null");
  TRY_ASSIGN(stdio.theirs[0], dup_above_stdio(std::move(null)));
  return {};
}

Result<> connect_input(const Command& command, Stdio& stdio) {
  if (std::holds_alternative<StdinNull>(command.input)) return connect_null_input(stdio);
  TRY_ASSIGN(Pipe pipe, make_pipe());
  TRY(set_nonblocking(pipe.write));
  stdio.in = std::move(pipe.write);
  TRY_ASSIGN(stdio.theirs[0], dup_above_stdio(std::move(pipe.read)));
  return {};
}

/// Raw before the program starts: a cooked terminal cuts lines at 4096 bytes, echoes, and adds
/// "\r".
Result<UniqueFd> open_raw_slave(const UniqueFd& master, const TerminalSize& size) {
  char name[64];
  if (::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), name, sizeof name) != 0) {
    return fail_errno(errno, "cannot set up a terminal");
  }
  UniqueFd slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  if (!slave || ::tcgetattr(slave.get(), &mode) != 0)
    return fail_errno(errno, "cannot open a terminal");
  ::cfmakeraw(&mode);
  winsize window{};
  window.ws_col = size.columns;
  window.ws_row = size.rows;
  if (::tcsetattr(slave.get(), TCSANOW, &mode) != 0 ||
      ::ioctl(slave.get(), TIOCSWINSZ, &window) != 0) {
    return fail_errno(errno, "cannot set up a terminal");
  }
  return dup_above_stdio(std::move(slave));
}

Result<UniqueFd> duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, kLowestFreeFd));
  if (!copy && errno == EINVAL) errno = EMFILE;  // the limit is below the lowest number asked for
  if (!copy) return fail_errno(errno, "cannot duplicate a descriptor", kTooManyFiles);
  return copy;
}

Result<> connect_pty(const Command& command, Stdio& stdio) {
  stdio.out = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!stdio.out) {
    return fail_errno(errno, "cannot allocate a PTY",
                      "check that /dev/pts is mounted, or run without a PTY");
  }
  TRY(set_nonblocking(stdio.out));
  TRY_ASSIGN(stdio.theirs[1], open_raw_slave(stdio.out, command.terminal));
  stdio.tty_fd = 1;
  if (std::holds_alternative<StdinNull>(command.input)) return connect_null_input(stdio);
  TRY_ASSIGN(stdio.in, duplicate(stdio.out.get()));
  TRY_ASSIGN(stdio.theirs[0], duplicate(stdio.theirs[1].get()));
  return {};
}

}  // namespace

Result<UniqueFd> dup_above_stdio(UniqueFd fd) {
  if (fd.get() >= kLowestFreeFd) return fd;
  return duplicate(fd.get());
}

Result<Stdio> make_stdio(const Command& command) {
  Stdio stdio;
  if (command.transport == Transport::inherit) {
    for (int fd = 0; fd <= 2; ++fd) {
      TRY_ASSIGN(stdio.theirs[static_cast<std::size_t>(fd)], duplicate(fd));
    }
    return stdio;
  }
  if (command.transport == Transport::pty) {
    TRY(connect_pty(command, stdio));
  } else {
    TRY(connect_input(command, stdio));
    TRY(connect_output(stdio.out, stdio.theirs[1]));
  }
  TRY(connect_output(stdio.err, stdio.theirs[2]));
  return stdio;
}

}  // namespace ralph::process

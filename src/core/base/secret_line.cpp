#include "core/base/secret_line.h"

#include <cerrno>

#include <termios.h>
#include <unistd.h>

namespace ralph {
namespace {

constexpr std::size_t kLongestSecret = 64 << 10;
constexpr char kCtrlC = 3;

/// The terminal without echo, as long as it lives.
class Silence {
 public:
  explicit Silence(int fd) : fd_(fd), known_(::tcgetattr(fd, &before_) == 0) {
    if (!known_) return;
    auto silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);  // Ctrl-C must not leave it silent
    silent.c_lflag |= ICANON;
    ::tcsetattr(fd_, TCSAFLUSH, &silent);
  }
  ~Silence() {
    if (known_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int fd_;
  termios before_{};
  bool known_;
};

}  // namespace

Result<std::string> read_secret_line(int terminal_fd) {
  const Silence silence(terminal_fd);
  std::string line;
  while (line.size() < kLongestSecret) {
    char byte = 0;
    const auto got = ::read(terminal_fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read from the terminal");
    if (got == 0 || byte == '\n') break;
    line += byte;
  }
  if (line.find(kCtrlC) != line.npos) return fail(Code::unavailable, "interrupted");
  return line;
}

}  // namespace ralph

#include "ui/console/key_watch.h"

#include <array>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace ralph::console {
namespace {

/// False for a terminal that is not our controlling terminal.
bool in_background(int fd) {
  const auto front = ::tcgetpgrp(fd);
  return front >= 0 && front != ::getpgrp();
}

}  // namespace

struct KeyWatch::Modes {
  termios modes{};
};

/// Discards keys typed before (TCSAFLUSH).
KeyWatch::KeyWatch(int fd) : fd_(fd) {
  auto before = std::make_unique<Modes>();
  if (::isatty(fd) != 1 || in_background(fd) || ::tcgetattr(fd, &before->modes) != 0) return;
  auto now = before->modes;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  if (::tcsetattr(fd, TCSAFLUSH, &now) == 0) before_ = std::move(before);
}

KeyWatch::~KeyWatch() {
  if (before_ && !in_background(fd_)) ::tcsetattr(fd_, TCSANOW, &before_->modes);
}

bool KeyWatch::pressed() {
  if (!before_ || in_background(fd_)) return false;
  pollfd input{fd_, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0 || (input.revents & POLLIN) == 0) return false;
  std::array<char, 256> keys{};
  return ::read(fd_, keys.data(), keys.size()) > 0;
}

}  // namespace ralph::console

#include "cli/std_output.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr int kLookMs = 100;
constexpr std::chrono::seconds kHurriedPatience{1};

/// How much can be written at once without being stopped in the middle: a pipe that is ready takes this much.
std::size_t most_at_once(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? SSIZE_MAX : PIPE_BUF;
}

}  // namespace

void StdOutput::out(std::string_view text) {
  if (closed_) return;
  pending_ += text;
  if (pending_.size() >= kPiece) flush();
}

void StdOutput::err(std::string_view text) {
  flush();
  write(err_fd_, text);
}

void StdOutput::flush() {
  if (pending_.empty()) return;
  const int error_number = write(out_fd_, pending_);
  pending_.clear();
  if (error_number == 0) return;
  closed_ = true;
  if (error_number != EPIPE && error_number != ETIMEDOUT) {
    failure_ = fail_errno(error_number, "cannot write to stdout").error();
  }
}

/// 0, or why not all of it was taken; ETIMEDOUT: we are in a hurry and nobody took it.
int StdOutput::write(int fd, std::string_view text) const {
  const auto most = most_at_once(fd);
  auto last_progress = Clock::now();
  while (!text.empty()) {
    pollfd ready{fd, POLLOUT, 0};
    if (::poll(&ready, 1, kLookMs) == 0) {
      if (hurried_ && Clock::now() - last_progress > kHurriedPatience) return ETIMEDOUT;
      continue;
    }
    const auto put = ::write(fd, text.data(), std::min(text.size(), most));
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
    last_progress = Clock::now();
  }
  return 0;
}

}  // namespace ralph::cli

#include "cli/std_output.h"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace ralph::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

/// 0, or the errno of the write that failed.
int write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void StdOutput::out(std::string_view text) {
  if (closed_) return;
  pending_ += text;
  if (pending_.size() >= kPiece) flush();
}

void StdOutput::err(std::string_view text) {
  flush();
  write_whole(err_fd_, text);
}

void StdOutput::flush() {
  if (pending_.empty()) return;
  const int error_number = write_whole(out_fd_, pending_);
  pending_.clear();
  if (error_number == 0) return;
  closed_ = true;
  if (error_number != EPIPE) failure_ = fail_errno(error_number, "cannot write to stdout").error();
}

}  // namespace ralph::cli

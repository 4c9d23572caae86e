#include "cli/std_output.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/console/safe_text.h"
#include "ui/console/style.h"

namespace ralph::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWriteSize = std::size_t{64} << 10;
constexpr int kLookMs = 100;

/// A terminal or pipe may block a writer forever. Opening it again gives a nonblocking descriptor without changing the
/// one we share with other processes.
UniqueFd open_nonblocking(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0 || (!S_ISFIFO(info.st_mode) && ::isatty(fd) == 0)) return {};
  const auto path = fmt::format("/proc/self/fd/{}", fd);
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

StdOutput::StdOutput(int out_fd, int err_fd) : out_{out_fd, {}}, err_{err_fd, {}} {
  out_.terminal = ::isatty(out_fd) == 1;
}

void StdOutput::collect(std::string_view text) {
  if (closed_) return;
  pending_ += text;
  if (pending_.size() >= kWriteSize) flush();
}

void StdOutput::out(std::string_view text) {
  if (out_.terminal) return collect(console::safe_text(text));
  collect(text);
}

void StdOutput::out_styled(std::string_view text) {
  if (out_.terminal) return collect(console::safe_styled_text(text));
  collect(text);
}

void StdOutput::err(std::string_view text) {
  flush();
  write(err_, console::safe_text(text));
}

void StdOutput::err_styled(std::string_view text) {
  flush();
  write(err_, console::safe_styled_text(text));
}

void StdOutput::flush() {
  if (pending_.empty()) return;
  const int error_number = write(out_, pending_);
  pending_.clear();
  if (error_number == 0) return;
  closed_ = true;
  if (error_number == ETIMEDOUT) {
    dropped_ = true;
  } else if (error_number != EPIPE) {
    failure_ = fail_errno(error_number, "cannot write to stdout").error();
  }
}

void StdOutput::set_drain_timeout(Millis patience) {
  const std::lock_guard lock(drain_mutex_);
  if (drain_ && drain_->patience <= patience) return;
  drain_ = DrainTimeout{Clock::now(), patience};
}

bool StdOutput::out_of_patience(Clock::time_point last_progress) const {
  const std::lock_guard lock(drain_mutex_);
  return drain_ && Clock::now() - std::max(drain_->since, last_progress) > drain_->patience;
}

/// 0, or the errno of the failure; ETIMEDOUT: the drain timeout expired.
int StdOutput::write(Stream& stream, std::string_view text) {
  if (stream.given_up) return ETIMEDOUT;
  if (!stream.prepared) stream.nonblocking = open_nonblocking(stream.fd);
  stream.prepared = true;
  const int fd = stream.nonblocking ? stream.nonblocking.get() : stream.fd;
  auto last_progress = Clock::now();
  while (!text.empty()) {
    const auto put = ::write(fd, text.data(), text.size());
    if (put > 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
      last_progress = Clock::now();
    } else if (put < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      if (::poll(&ready, 1, kLookMs) > 0 || !out_of_patience(last_progress)) continue;
      stream.given_up = true;
      return ETIMEDOUT;
    } else if (put < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void write_if_possible(int fd, std::string_view text) {
  // Writing to a file does not block.
  struct stat status{};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    [[maybe_unused]] const auto put = ::write(fd, text.data(), text.size());
    return;
  }
  const auto nonblocking = open_nonblocking(fd);
  if (!nonblocking) return;
  [[maybe_unused]] const auto put = ::write(nonblocking.get(), text.data(), text.size());
}

}  // namespace ralph::cli

#include "cli/reader_watch.h"

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::cli {
namespace {

/// False for files.
bool has_reader(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return false;
  return S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || ::isatty(fd) == 1;
}

/// True: the reader is gone; false: `quit` was signalled.
bool wait_until_gone(int fd, int quit) {
  for (;;) {
    std::array<pollfd, 2> fds{{{fd, 0, 0}, {quit, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return false;
    if (fds[1].revents != 0) return false;
    if ((fds[0].revents & (POLLERR | POLLHUP)) != 0) return true;
  }
}

}  // namespace

ReaderWatch::ReaderWatch(int fd, std::function<void()> on_gone)
    : quit_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Without an eventfd no thread is started: it could not be ended. The next write detects the closed reader.
  if (!quit_ || !has_reader(fd)) return;
  thread_ = std::jthread([fd, quit = quit_.get(), on_gone = std::move(on_gone)] {
    try {
      if (wait_until_gone(fd, quit)) on_gone();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): as above
    }
  });
}

ReaderWatch::~ReaderWatch() {
  ::eventfd_write(quit_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

}  // namespace ralph::cli

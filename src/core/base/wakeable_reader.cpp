#include "core/base/wakeable_reader.h"

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ralph {
namespace {

constexpr Millis kLookEvery{100};

}  // namespace

WakeableReader::WakeableReader(int fd) : fd_(fd), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WakeableReader::Got WakeableReader::read(std::span<char> into, const std::stop_token& stop,
                                         std::optional<Millis> patience) {
  const std::stop_callback wake(stop, [this] { ::eventfd_write(wake_.get(), 1); });
  auto left = patience;
  for (;;) {
    if (stop.stop_requested()) return {Event::stopped};
    std::array<pollfd, 2> fds{{{fd_, POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    // No descriptor was left for the eventfd: a request to stop is noticed a little later.
    const bool slices = !wake_ && (!left || *left > kLookEvery);
    const int timeout = slices ? static_cast<int>(kLookEvery.count())
                        : left ? static_cast<int>(left->count())
                               : -1;
    const int ready = ::poll(fds.data(), fds.size(), timeout);
    if (ready == 0 && slices) {
      if (left) *left -= kLookEvery;
      continue;
    }
    if (ready == 0) return {Event::timed_out};
    if (ready < 0 && errno != EINTR) return {Event::failed, 0, errno};
    if (ready < 0 || fds[1].revents != 0) continue;
    const auto got = ::read(fd_, into.data(), into.size());
    if (got > 0) return {Event::bytes, static_cast<std::size_t>(got)};
    if (got == 0) return {Event::end};
    if (errno != EINTR && errno != EAGAIN) return {Event::failed, 0, errno};
  }
}

}  // namespace ralph

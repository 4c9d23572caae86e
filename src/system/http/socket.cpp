#include "system/http/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace ralph::http {
namespace {

using std::chrono::steady_clock;

constexpr Millis kForever{-1};
constexpr Millis kDrainTime{1000};
constexpr Millis kLongestSocketPoll{3'600'000};

}  // namespace

Socket::Socket(UniqueFd fd, int stop_fd) : fd_(std::move(fd)), stop_fd_(stop_fd) {
  const int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket::~Socket() {
  if (!fd_) return;
  close();
  drain();
}

Socket::Woken Socket::poll_for(short events, Millis at_most) {
  const auto until = steady_clock::now() + at_most;
  for (;;) {
    std::array<pollfd, 2> fds{{{fd_.get(), events, 0}, {stop_fd_, POLLIN, 0}}};
    auto timeout = at_most;
    if (at_most != kForever) {
      const auto left = std::chrono::ceil<Millis>(until - steady_clock::now());
      timeout = std::clamp(left, Millis{0}, kLongestSocketPoll);
    }
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (fds[1].revents != 0 || ready < 0) return Woken::stopped;
    if (fds[0].revents != 0) return Woken::ready;
    if (at_most != kForever && steady_clock::now() >= until) return Woken::timed_out;
  }
}

std::string_view Socket::receive(std::span<char> buffer) {
  while (fd_ && poll_for(POLLIN, kForever) == Woken::ready) {
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got > 0) return {buffer.data(), static_cast<std::size_t>(got)};
    if (got == 0 || (errno != EINTR && errno != EAGAIN)) break;
  }
  return {};
}

Peer Socket::send(std::string_view bytes) {
  while (open_ && !bytes.empty()) {
    const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      if (poll_for(POLLOUT, kForever) == Woken::stopped) open_ = false;
    } else if (errno != EINTR) {
      open_ = false;
    }
  }
  return open_ ? Peer::there : Peer::gone;
}

Peer Socket::wait(Millis duration) {
  open_ = open_ && poll_for(POLLRDHUP, duration) == Woken::timed_out;
  return open_ ? Peer::there : Peer::gone;
}

void Socket::reset() {
  open_ = false;
  if (!fd_) return;
  const linger at_once{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_.reset();
}

void Socket::close() {
  open_ = false;
  if (fd_) ::shutdown(fd_.get(), SHUT_WR);
}

void Socket::drain() {
  const auto until = steady_clock::now() + kDrainTime;
  std::array<char, 16384> thrown_away;
  for (auto left = kDrainTime; left > Millis{0};
       left = std::chrono::ceil<Millis>(until - steady_clock::now())) {
    if (poll_for(POLLIN, left) != Woken::ready) return;
    const ssize_t got = ::recv(fd_.get(), thrown_away.data(), thrown_away.size(), 0);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

}  // namespace ralph::http

#include "cli/stop_signals.h"

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace ralph::cli {

namespace {

bool is_ignored(int signal_number) {
  struct sigaction action{};
  return ::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  ::sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) ::sigaddset(&signals_, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  incoming_ = UniqueFd(::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  quit_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  thread_ = std::jthread([this] { listen(); });
}

StopSignals::~StopSignals() {
  ::eventfd_write(quit_.get(), 1);
  if (thread_.joinable()) thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::wait() {
  if (thread_.joinable()) thread_.join();
}

void StopSignals::take(int signal_number) {
  int none = 0;
  received_.compare_exchange_strong(none, signal_number);
  source_.request_stop();
  if (on_signal_) on_signal_(signal_number);
}

void StopSignals::listen() {
  for (;;) {
    std::array<pollfd, 2> fds{{{incoming_.get(), POLLIN, 0}, {quit_.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    signalfd_siginfo info{};
    if (::read(incoming_.get(), &info, sizeof info) == sizeof info) {
      take(static_cast<int>(info.ssi_signo));
      if (!on_signal_) return;
    }
    if (fds[1].revents != 0) return;
  }
}

}  // namespace ralph::cli

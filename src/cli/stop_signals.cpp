#include "cli/stop_signals.h"

#include <cerrno>
#include <exception>

#include <unistd.h>

namespace ralph::cli {

namespace {

bool is_ignored(int signal_number) {
  struct sigaction action{};
  return ::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Sent to our own thread only, to end it.
int quit_signal() { return SIGRTMIN + 5; }

/// Restores the default action: a signal that cannot be handled ends the process.
[[noreturn]] void end_by(int signal_number) {
  ::signal(signal_number, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal_number);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal_number);
  ::_exit(128 + signal_number);
}

}  // namespace

StopSignals::StopSignals(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, quit_signal());
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) ::sigaddset(&signals_, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  try {
    thread_ = std::jthread([this] { listen(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw;
  }
}

StopSignals::~StopSignals() {
  if (thread_.joinable()) {
    ::pthread_kill(thread_.native_handle(), quit_signal());
    thread_.join();
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::wait() {
  if (thread_.joinable()) thread_.join();
}

void StopSignals::take(int signal_number) {
  int none = 0;
  received_.compare_exchange_strong(none, signal_number);
  try {
    source_.request_stop();
    if (on_signal_) on_signal_(signal_number);
  } catch (const std::exception&) {
    end_by(signal_number);
  }
}

void StopSignals::listen() {
  for (;;) {
    const int number = ::sigwaitinfo(&signals_, nullptr);
    if (number < 0 && errno == EINTR) continue;
    if (number < 0 || number == quit_signal()) return;
    take(number);
    if (!on_signal_) return;
  }
}

}  // namespace ralph::cli

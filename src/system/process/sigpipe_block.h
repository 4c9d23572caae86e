#pragma once
#include <signal.h>

namespace ralph::process {

/// Blocks SIGPIPE in this thread, and discards one that arrives meanwhile: writing to a program
/// that closed its stdin is then an error number like any other, and the rest of the process is not
/// touched.
class SigpipeBlock {
 public:
  SigpipeBlock() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    was_pending_ = pending();
  }
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;
  ~SigpipeBlock() {
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static bool pending() {
    sigset_t set{};
    ::sigpending(&set);
    return ::sigismember(&set, SIGPIPE) == 1;
  }

  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace ralph::process

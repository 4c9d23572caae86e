#pragma once
#include <cerrno>

#include <sys/syscall.h>

#include "support/refused_call.h"
#include "system/process/child.h"
#include "system/process/guard/protocol.h"
#include "system/process/harness.h"
#include "system/process/supervise.h"

namespace ralph::process {

/// What this test program does when it plays a harness: supervises one program until that ends or the
/// harness is killed. Exits with the number of processes that could not be ended.
inline int run_as_harness(const Command& command) {
  constexpr int kNotStarted = 99;
  constexpr int kIgnored = 98;             // children that nobody can wait for
  ::dup2(STDERR_FILENO, guard::kImageFd);  // a descriptor that nobody closes at exec
  if (std::getenv("RALPH_TEST_NO_MEMFD") != nullptr && !test::refuse_call(SYS_memfd_create, EACCES))
    return kNotStarted;
  ::signal(SIGUSR2, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  auto child = start(command);
  if (!child) return kNotStarted;
  if (const char* const file = std::getenv("RALPH_TEST_KILL_GUARD_AFTER")) {
    eventually([&] { return std::filesystem::exists(file); });
    ::kill(child->guard_pid(), SIGKILL);
  }
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {}, watch, {});
  return ::signal(SIGCHLD, SIG_DFL) == SIG_IGN ? kIgnored : exit.left;
}

/// What this test program does as the file of a guard: notes in $DIR what it was started with, and becomes the guard.
inline int run_as_guard(char** argv) {
  const bool has_image = ::fcntl(guard::kImageFd, F_GETFD) >= 0;
  const std::string folder = std::getenv("DIR");
  std::ofstream(folder + "/status") << std::ifstream("/proc/self/status").rdbuf();
  std::ofstream(folder + "/image") << (has_image ? "open" : "closed");
  ::execv(RALPH_BUILD "/ralph-guard", argv);
  return 1;
}

}  // namespace ralph::process

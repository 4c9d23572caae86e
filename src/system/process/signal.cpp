#include "system/process/signal.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/unique_fd.h"

namespace ralph::process {

Result<> signal_process(pid_t pid, int signal_number, const std::function<bool()>& still_it) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process && errno != ESRCH) {
    return fail_errno(errno, fmt::format("cannot reach process {}", pid));
  }
  if (!process || !still_it()) return fail(Code::not_found, fmt::format("process {} is gone", pid));
  if (::syscall(SYS_pidfd_send_signal, process.get(), signal_number, nullptr, 0) == 0) return {};
  if (errno == ESRCH) return fail(Code::not_found, fmt::format("process {} is gone", pid));
  return fail_errno(errno, fmt::format("cannot signal process {}", pid));
}

}  // namespace ralph::process

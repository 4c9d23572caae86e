#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "agent/tool/scaler/scaler.h"

namespace ralph::scaler {
namespace {

constexpr rlim_t kMemory = rlim_t{512} << 20;
constexpr rlim_t kSeconds = 15;
constexpr rlim_t kOutput = rlim_t{64} << 20;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

void limit(int what, rlim_t value) {
  rlimit both{};
  ::getrlimit(static_cast<__rlimit_resource_t>(what), &both);
  value = std::min(value, both.rlim_max);
  both = {value, value};
  if (::setrlimit(static_cast<__rlimit_resource_t>(what), &both) != 0) {
    throw Failure("cannot limit the process");
  }
}

/// The system calls for computing, reading stdin, writing stdout and exiting.
constexpr std::array kAllowed{
    SYS_read,           SYS_write,        SYS_brk,       SYS_mmap,   SYS_munmap,
    SYS_mremap,         SYS_madvise,      SYS_mprotect,  SYS_futex,  SYS_exit,
    SYS_exit_group,     SYS_rt_sigreturn, SYS_getrandom, SYS_fstat,  SYS_newfstatat,
    SYS_rt_sigprocmask, SYS_gettid,       SYS_getpid,    SYS_tgkill,
};

void filter_calls() {
#if defined(__x86_64__) || defined(__aarch64__)
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const auto call : kAllowed) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    throw Failure("this kernel cannot confine the process (seccomp)");
  }
#else
  throw Failure("pictures are not decoded on this machine: no filter for its system calls");
#endif
}

}  // namespace

void confine() {
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_CPU, kSeconds);
  limit(RLIMIT_CORE, 0);
  ::signal(SIGXFSZ, SIG_IGN);  // stdout or stderr may be a file: writing too much is an error
  limit(RLIMIT_FSIZE, kOutput);
  limit(RLIMIT_NOFILE, 3);
  filter_calls();
}

}  // namespace ralph::scaler

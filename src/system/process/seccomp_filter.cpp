#include "system/process/seccomp_filter.h"

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <mutex>
#include <tuple>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "system/process/filter_code.h"

namespace ralph::process {

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

#ifdef __x86_64__
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
constexpr unsigned kKeysOf32Bit[] = {286, 287, 288};              // add_key, request_key, keyctl
constexpr unsigned kSocketsOf32Bit[] = {102, 359, 360};           // socketcall, socket, socketpair
constexpr unsigned kTracingOf32Bit[] = {26, 347, 348, 349, 438};  // as kTracing
#else
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
constexpr unsigned kKeysOf32Bit[] = {309, 310, 311};
constexpr unsigned kSocketsOf32Bit[] = {102, 281, 288};
constexpr unsigned kTracingOf32Bit[] = {26, 376, 377, 378, 438};
#endif

/// Newer ones, and those of the x32 ABI, have larger numbers.
constexpr unsigned kNewestCall = 462;  // mseal
constexpr unsigned kFchmodat2 = 452;
constexpr unsigned kX32 = 0x40000000;

constexpr unsigned kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// Power over the memory and the descriptors of other processes.
constexpr unsigned kTracing[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
#ifdef __x86_64__
    521,
    539,
    540,  // the first three of the x32 ABI
#endif
};

/// Power over other processes, over the kernel, or over mounts.
constexpr unsigned kNever[] = {
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_fanotify_init,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semctl,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgctl,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_mq_open,
    SYS_mq_unlink,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
#endif
};

constexpr unsigned kKeys[] = {SYS_add_key, SYS_request_key, SYS_keyctl};

/// Does by itself what the filter denies. Has the same numbers on every architecture.
constexpr unsigned kIoUring[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

/// Programs do without them when the kernel has none. Watching needs no right to read; and by a lock on a placeholder
/// (guard/placeholders.h) a command would keep the next one from starting.
constexpr unsigned kUnknown[] = {SYS_clone3, SYS_inotify_init1, SYS_inotify_add_watch, SYS_flock};

/// What Landlock has no rule for. Where something can be written, read-only mounts keep the rest.
constexpr unsigned kAttributes[] = {
    SYS_fchmod,   SYS_fchmodat,  kFchmodat2,    SYS_fchown,      SYS_fchownat,     SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    SYS_truncate,
#ifdef SYS_chmod
    SYS_chmod,    SYS_chown,     SYS_lchown,    SYS_utime,       SYS_utimes,       SYS_futimesat,
#endif
};

/// By a path, for which Landlock has no rule. By a descriptor they can be read: that was opened.
constexpr unsigned kAttributesByPath[] = {SYS_getxattr, SYS_lgetxattr, SYS_listxattr,
                                          SYS_llistxattr};

/// Signals to others; for a Landlock that does not restrict them.
constexpr unsigned kSignals[] = {SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
                                 SYS_pidfd_send_signal};

/// The first argument is a process; 0 is the caller itself.
constexpr unsigned kOfProcess[] = {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler,
                                   SYS_sched_setparam, SYS_sched_setattr};

/// Of terminals, pipes and files, and changing nothing outside the process.
constexpr unsigned kReadingIoctls[] = {
    0x5401,      // TCGETS
    0x540F,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541B,      // FIONREAD
    0x5421,      // FIONBIO
    0x5429,      // TIOCGSID
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x80086601,  // FS_IOC_GETFLAGS
    0x801C581F,  // FS_IOC_FSGETXATTR
    0xC020660B,  // FS_IOC_FIEMAP
};
/// Put characters into a terminal's input; signals to others by way of a descriptor's owner.
constexpr unsigned kForbiddenIoctls[] = {0x5412, 0x541C, 0x8901, 0x8902};

template <typename List>
void refuse_calls(FilteredCalls& calls, const List& list, int error) {
  for (const unsigned call : list) {
    FilterCode code;
    code.refuse(error);
    calls[call] = code;
  }
}

/// The network, but no sockets of this machine's services: they do what they are told for everybody.
void add_sockets(FilteredCalls& calls) {
  FilterCode code;
  code.load_argument(0);
  for (const unsigned family : {AF_INET + 0U, AF_INET6 + 0U, AF_NETLINK + 0U})
    code.allow_if(family);
  code.refuse(EACCES);
  calls[SYS_socket] = code;
}

/// Sockets that a network namespace holds, or a path; others (AF_VSOCK) lead out of it.
void add_sockets_of_namespace(FilteredCalls& calls) {
  const auto only_families = [](std::initializer_list<unsigned> families) {
    FilterCode code;
    code.load_argument(0);
    for (const unsigned family : families) code.allow_if(family);
    code.refuse(EAFNOSUPPORT);
    return code;
  };
  calls[SYS_socket] = only_families({AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});
  calls[SYS_socketpair] = only_families({AF_UNIX});
}

/// Pairs that stay pairs: a datagram can be sent from one to any socket of this machine.
void add_socket_pairs(FilteredCalls& calls) {
  constexpr unsigned kTypes = 0xf;  // the rest are flags
  FilterCode code;
  code.load_argument(0);
  code.add(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
  code.refuse(EACCES);
  code.load_argument(1);
  code.add(BPF_ALU | BPF_AND | BPF_K, kTypes);
  for (const unsigned type : {SOCK_STREAM, SOCK_SEQPACKET}) code.allow_if(type);
  code.refuse(EACCES);
  calls[SYS_socketpair] = code;
}

/// open() with O_TRUNC truncates without asking for the right to write; before ABI 3 Landlock overlooks that.
void add_truncation(FilteredCalls& calls) {
  const auto check = [](std::size_t flags) {
    FilterCode code;
    code.load_argument(flags);
    code.add(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE);
    code.refuse_if(O_TRUNC, EACCES);
    code.refuse_if(O_TRUNC | O_ACCMODE, EACCES);
    code.allow();
    return code;
  };
  calls[SYS_openat] = check(2);
#ifdef SYS_open
  calls[SYS_open] = check(1);
#endif
  refuse_calls(calls, std::initializer_list<unsigned>{SYS_openat2}, ENOSYS);
  refuse_calls(calls, std::initializer_list<unsigned>{SYS_truncate}, EACCES);
}

/// An argument must have this value.
FilterCode only(std::size_t argument, unsigned value) {
  FilterCode code;
  code.load_argument(argument);
  code.allow_if(value);
  code.refuse(EPERM);
  return code;
}

void add_signals(FilteredCalls& calls) {
  refuse_calls(calls, kSignals, EPERM);
  calls[SYS_kill] = only(0, 0);  // its own group
}

void add_processes(FilteredCalls& calls) {
  for (const unsigned call : kOfProcess) calls[call] = only(0, 0);
  const auto own = [](unsigned all_of_user) {
    FilterCode code;
    code.load_argument(0);
    code.refuse_if(all_of_user, EPERM);
    code.append(only(1, 0));
    return code;
  };
  calls[SYS_setpriority] = own(2 /* PRIO_USER */);
  calls[SYS_ioprio_set] = own(3 /* IOPRIO_WHO_USER */);
  FilterCode clone;
  clone.load_argument(0);
  clone.add(BPF_JMP | BPF_JSET | BPF_K, kNamespaces, 0, 1);
  clone.refuse(EPERM);
  clone.allow();
  calls[SYS_clone] = clone;
}

void add_descriptors(FilteredCalls& calls, bool reading) {
  FilterCode fcntl;
  fcntl.load_argument(1);
  for (const unsigned command : {F_SETOWN + 0U, F_SETSIG + 0U, 15U /* F_SETOWN_EX */}) {
    fcntl.refuse_if(command, EPERM);
  }
  fcntl.allow();
  calls[SYS_fcntl] = fcntl;
  FilterCode ioctl;
  ioctl.load_argument(1);
  if (reading) {
    for (const unsigned request : kReadingIoctls) ioctl.allow_if(request);
    ioctl.refuse(ENOTTY);
  } else {
    for (const unsigned request : kForbiddenIoctls) ioctl.refuse_if(request, EPERM);
    ioctl.allow();
  }
  calls[SYS_ioctl] = ioctl;
}

std::string make_filter(bool reading, Confinement::Network network, int landlock_abi) {
  constexpr int kTruncateAbi = 3, kSignalsAbi = 6;
  FilteredCalls calls;
  refuse_calls(calls, kTracing, EPERM);
  refuse_calls(calls, kNever, EPERM);
  refuse_calls(calls, kKeys, EPERM);
  refuse_calls(calls, kUnknown, ENOSYS);
  refuse_calls(calls, kIoUring, ENOSYS);
  if (network == Confinement::Network::none) {
    refuse_calls(calls, std::initializer_list<unsigned>{SYS_socket}, EACCES);
  } else {
    add_sockets(calls);
  }
  add_socket_pairs(calls);
  if (landlock_abi < kTruncateAbi) add_truncation(calls);
  if (reading) {
    refuse_calls(calls, kAttributes, EPERM);
    refuse_calls(calls, kAttributesByPath, EOPNOTSUPP);
  }
  if (landlock_abi < kSignalsAbi) add_signals(calls);
  add_processes(calls);
  add_descriptors(calls, reading);

  FilterCode program;
  program.load(offsetof(seccomp_data, arch));
  program.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.give(SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.add(BPF_JMP | BPF_JGT | BPF_K, kNewestCall, 0, 1);
  program.refuse(ENOSYS);
  return assemble(program, calls);
}

}  // namespace

std::optional<std::string> seccomp_filter(const Confinement& confinement, int landlock_abi) {
  using Key = std::tuple<bool, Confinement::Network, int>;
  static std::mutex mutex;
  static std::map<Key, std::string> made;
  const Key key{confinement.write.empty(), confinement.network, landlock_abi};
  const std::lock_guard lock(mutex);
  auto& filter = made[key];
  if (filter.empty()) filter = std::apply(make_filter, key);
  return filter;
}

std::optional<std::string> sandbox_filter(SandboxFilter filter) {
  const bool tracing = filter == SandboxFilter::keyrings_sockets_and_tracing;
  const bool sockets = tracing || filter == SandboxFilter::keyrings_and_sockets;
  FilteredCalls calls;
  refuse_calls(calls, kKeys, ENOSYS);
  FilterCode other;
  other.load(offsetof(seccomp_data, nr));
  for (const unsigned call : kKeysOf32Bit) other.refuse_if(call, ENOSYS);
  if (sockets) {
    add_sockets_of_namespace(calls);
    refuse_calls(calls, kIoUring, ENOSYS);
    for (const unsigned call : kSocketsOf32Bit) other.refuse_if(call, EACCES);
    for (const unsigned call : kIoUring) other.refuse_if(call, ENOSYS);
  }
  if (tracing) {
    refuse_calls(calls, kTracing, EPERM);
    for (const unsigned call : kTracingOf32Bit) other.refuse_if(call, EPERM);
  }
  other.allow();
  FilterCode program;
  program.load(offsetof(seccomp_data, arch));
  program.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture,
              static_cast<unsigned char>(other.instructions().size()));
  program.append(other);
  program.load(offsetof(seccomp_data, nr));
  program.add(BPF_ALU | BPF_AND | BPF_K, ~kX32);  // the same calls by another number
  return assemble(program, calls);
}

#else

std::optional<std::string> seccomp_filter(const Confinement&, int) { return std::nullopt; }
std::optional<std::string> sandbox_filter(SandboxFilter) { return std::nullopt; }

#endif

}  // namespace ralph::process

#include "process/seccomp_filter.h"

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace ralph::process {

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

#ifdef __x86_64__
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// Newer ones, and those of the x32 ABI, have larger numbers.
constexpr unsigned kNewestCall = 462;  // mseal
constexpr unsigned kFchmodat2 = 452;

constexpr unsigned kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// Power over other processes, over the kernel, or over mounts.
constexpr unsigned kNever[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
    SYS_process_madvise, SYS_process_mrelease, SYS_move_pages, SYS_migrate_pages, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_mount,
    SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_unshare, SYS_setns,
    SYS_open_by_handle_at, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_kexec_load, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_acct, SYS_quotactl, SYS_quotactl_fd, SYS_syslog,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname,
    SYS_setdomainname, SYS_fanotify_init, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semctl,
    SYS_semop, SYS_semtimedop, SYS_msgget, SYS_msgctl, SYS_msgsnd, SYS_msgrcv, SYS_mq_open,
    SYS_mq_unlink,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib,
#endif
};

/// Programs do without them when the kernel has none.
constexpr unsigned kUnknown[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
                                 SYS_clone3};

/// What Landlock has no rule for. Where something can be written, read-only mounts keep the rest.
constexpr unsigned kAttributes[] = {
    SYS_fchmod, SYS_fchmodat, kFchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_truncate,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

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

class Program {
 public:
  void add(unsigned short code, unsigned value, unsigned char yes = 0, unsigned char no = 0) {
    code_.push_back({code, yes, no, value});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
  }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  /// The lower half; both architectures are little-endian.
  void load_argument(std::size_t index) {
    load(offsetof(seccomp_data, args) + index * sizeof(seccomp_data::args[0]));
  }
  void give(unsigned action) { add(BPF_RET | BPF_K, action); }
  void refuse(int error) { give(SECCOMP_RET_ERRNO | static_cast<unsigned>(error)); }
  void allow() { give(SECCOMP_RET_ALLOW); }

  /// The number is loaded; refuses these calls.
  template <typename Calls>
  void refuse_calls(const Calls& calls, int error) {
    for (const unsigned call : calls) {
      add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
      refuse(error);
    }
  }
  /// What `rest` adds is only for this call and ends with a return; the number is loaded before and after.
  template <typename Rest>
  void for_call(unsigned call, Rest rest) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
    const auto jump = code_.size() - 1;
    rest();
    code_[jump].jf = static_cast<unsigned char>(code_.size() - 1 - jump);
  }
  /// The accumulator must be this, or the call is refused.
  void allow_only(unsigned value, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    allow();
    refuse(error);
  }
  /// No bit of these in the accumulator, or the call is refused.
  void refuse_bits(unsigned bits, int error) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    refuse(error);
    allow();
  }

  std::string bytes() const {
    return {reinterpret_cast<const char*>(code_.data()), code_.size() * sizeof(sock_filter)};
  }

 private:
  std::vector<sock_filter> code_;
};

void add_architecture(Program& program) {
  program.load(offsetof(seccomp_data, arch));
  program.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.give(SECCOMP_RET_KILL_PROCESS);
  program.load_number();
  program.add(BPF_JMP | BPF_JGT | BPF_K, kNewestCall, 0, 1);
  program.refuse(ENOSYS);
}

/// The network, but no sockets of this machine's services: they do what they are told for everybody.
void add_sockets(Program& program) {
  program.for_call(SYS_socket, [&] {
    program.load_argument(0);
    for (const unsigned family : {AF_INET, AF_INET6, AF_NETLINK}) {
      program.add(BPF_JMP | BPF_JEQ | BPF_K, family, 0, 1);
      program.allow();
    }
    program.refuse(EACCES);
  });
}

/// open() with O_TRUNC truncates without asking for the right to write; before ABI 3 Landlock overlooks that.
void add_truncation(Program& program) {
  const auto check = [&](std::size_t flags) {
    program.load_argument(flags);
    program.add(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE);
    program.add(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC, 1, 0);
    program.add(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_ACCMODE, 0, 1);
    program.refuse(EACCES);
    program.allow();
  };
  program.for_call(SYS_openat, [&] { check(2); });
#ifdef SYS_open
  program.for_call(SYS_open, [&] { check(1); });
#endif
  program.refuse_calls(std::initializer_list<unsigned>{SYS_openat2}, ENOSYS);
  program.refuse_calls(std::initializer_list<unsigned>{SYS_truncate}, EACCES);
}

void add_signals(Program& program) {
  program.refuse_calls(kSignals, EPERM);
  program.for_call(SYS_kill, [&] {
    program.load_argument(0);
    program.allow_only(0, EPERM);  // its own group
  });
}

void add_processes(Program& program) {
  for (const unsigned call : kOfProcess) {
    program.for_call(call, [&] {
      program.load_argument(0);
      program.allow_only(0, EPERM);
    });
  }
  const auto refuse_others = [&](unsigned call, unsigned all_of_user) {
    program.for_call(call, [&] {
      program.load_argument(0);
      program.add(BPF_JMP | BPF_JEQ | BPF_K, all_of_user, 0, 1);
      program.refuse(EPERM);
      program.load_argument(1);
      program.allow_only(0, EPERM);
    });
  };
  refuse_others(SYS_setpriority, 2 /* PRIO_USER */);
  refuse_others(SYS_ioprio_set, 3 /* IOPRIO_WHO_USER */);
  program.for_call(SYS_clone, [&] {
    program.load_argument(0);
    program.refuse_bits(kNamespaces, EPERM);
  });
}

void add_descriptors(Program& program, bool reading) {
  program.for_call(SYS_fcntl, [&] {
    program.load_argument(1);
    for (const unsigned command : {F_SETOWN, F_SETSIG, 15 /* F_SETOWN_EX */}) {
      program.add(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1);
      program.refuse(EPERM);
    }
    program.allow();
  });
  program.for_call(SYS_ioctl, [&] {
    program.load_argument(1);
    if (!reading) {
      for (const unsigned request : kForbiddenIoctls) {
        program.add(BPF_JMP | BPF_JEQ | BPF_K, request, 0, 1);
        program.refuse(EPERM);
      }
      return program.allow();
    }
    for (const unsigned request : kReadingIoctls) {
      program.add(BPF_JMP | BPF_JEQ | BPF_K, request, 0, 1);
      program.allow();
    }
    program.refuse(ENOTTY);
  });
}

}  // namespace

std::optional<std::string> seccomp_filter(const Confinement& confinement, int landlock_abi) {
  constexpr int kWithTruncate = 3, kWithSignals = 6;
  const bool reading = confinement.write.empty();
  Program program;
  add_architecture(program);
  program.refuse_calls(kNever, EPERM);
  program.refuse_calls(kUnknown, ENOSYS);
  if (confinement.network == Confinement::Network::none) {
    program.refuse_calls(std::initializer_list<unsigned>{SYS_socket}, EACCES);
  } else {
    add_sockets(program);
  }
  if (reading) program.refuse_calls(kAttributes, EPERM);
  if (landlock_abi < kWithTruncate) add_truncation(program);
  if (landlock_abi < kWithSignals) add_signals(program);
  add_processes(program);
  add_descriptors(program, reading);
  program.allow();
  return program.bytes();
}

#else

std::optional<std::string> seccomp_filter(const Confinement&, int) { return std::nullopt; }

#endif

}  // namespace ralph::process

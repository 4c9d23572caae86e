#include "system/process/filter_code.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "system/process/seccomp_filter.h"

namespace ralph::process {
namespace {

constexpr unsigned kHighest = 2000;

FilterCode load_number() {
  FilterCode start;
  start.load(offsetof(seccomp_data, nr));
  return start;
}

FilterCode refusing(int error) {
  FilterCode code;
  code.refuse(error);
  return code;
}

/// What the program returns for a call, as the kernel would run it.
unsigned run_filter(const std::string& bytes, unsigned call, unsigned first_argument = 0,
                    unsigned architecture = 0) {
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), bytes.size());
  seccomp_data data{};
  data.nr = static_cast<int>(call);
  data.arch = architecture;
  data.args[0] = first_argument;
  unsigned loaded = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const auto& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&loaded, reinterpret_cast<const char*>(&data) + step.k, sizeof loaded);
        break;
      case BPF_JMP | BPF_JGE | BPF_K: at += loaded >= step.k ? step.jt : step.jf; break;
      case BPF_JMP | BPF_JEQ | BPF_K: at += loaded == step.k ? step.jt : step.jf; break;
      case BPF_ALU | BPF_AND | BPF_K: loaded &= step.k; break;
      case BPF_JMP | BPF_JA: at += step.k; break;
      case BPF_RET | BPF_K: return step.k;
      default: ADD_FAILURE() << "unexpected instruction " << step.code; return 0;
    }
  }
  ADD_FAILURE() << "ran past the end";
  return 0;
}

void expect_decisions(const FilteredCalls& calls) {
  const auto program = assemble(load_number(), calls);
  for (unsigned call = 0; call <= kHighest; ++call) {
    const auto found = calls.find(call);
    const unsigned expected =
        found == calls.end() ? SECCOMP_RET_ALLOW : found->second.instructions().back().k;
    ASSERT_EQ(run_filter(program, call), expected) << "call " << call << " of " << calls.size();
  }
}

TEST(FilterCode, WithoutFilteredCallsAllAreAllowed) { expect_decisions({}); }

TEST(FilterCode, EveryCallGetsItsOwnCode) {
  expect_decisions({{0, refusing(EPERM)}, {1, refusing(ENOSYS)}, {kHighest, refusing(EPERM)}});
}

TEST(FilterCode, NeighboursWithTheSameCodeAreOneSpan) {
  const FilteredCalls calls{{7, refusing(EPERM)}, {8, refusing(EPERM)}, {9, refusing(EPERM)}};
  expect_decisions(calls);
  constexpr std::size_t kLoadTwoBranchesTwoReturns = 5;
  EXPECT_EQ(assemble(load_number(), calls).size() / sizeof(sock_filter),
            kLoadTwoBranchesTwoReturns);
}

TEST(FilterCode, ReachesCodeThatIsFartherThanAConditionalJump) {
  FilteredCalls calls;
  for (unsigned call = 0; call < kHighest; call += 2) {
    calls[call] = refusing(static_cast<int>(call % 5 == 0 ? 1000 + call : 1));
  }
  expect_decisions(calls);
}

TEST(FilterCode, ArgumentsDecide) {
  FilterCode only_seven;
  only_seven.load_argument(0);
  only_seven.allow_if(7);
  only_seven.refuse_if(8, ENOSYS);
  only_seven.refuse(EPERM);
  const auto program = assemble(load_number(), {{42, only_seven}});
  EXPECT_EQ(run_filter(program, 42, 7), SECCOMP_RET_ALLOW);
  EXPECT_EQ(run_filter(program, 42, 8), SECCOMP_RET_ERRNO | ENOSYS);
  EXPECT_EQ(run_filter(program, 42, 9), SECCOMP_RET_ERRNO | EPERM);
  EXPECT_EQ(run_filter(program, 41, 9), SECCOMP_RET_ALLOW);
}

#ifdef __x86_64__
TEST(FilterCode, ASandboxWithoutNetworkHasOnlySocketsOfItsNamespace) {
  constexpr unsigned kRefused = SECCOMP_RET_ERRNO | EAFNOSUPPORT;
  constexpr unsigned kX32 = 0x40000000;
  const auto filter = sandbox_filter(SandboxFilter::keyrings_and_sockets).value();
  const auto on = [&](unsigned call, unsigned argument) {
    return run_filter(filter, call, argument, AUDIT_ARCH_X86_64);
  };
  for (const unsigned family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    EXPECT_EQ(on(SYS_socket, family), SECCOMP_RET_ALLOW) << family;
  }
  for (const unsigned family : {AF_VSOCK, AF_PACKET, AF_TIPC, AF_BLUETOOTH, AF_ALG, 42, 1000}) {
    EXPECT_EQ(on(SYS_socket, family), kRefused) << family;
    EXPECT_EQ(on(SYS_socket | kX32, family), kRefused) << family;
  }
  EXPECT_EQ(on(SYS_socketpair, AF_UNIX), SECCOMP_RET_ALLOW);
  EXPECT_EQ(on(SYS_socketpair, AF_TIPC), kRefused);
  EXPECT_EQ(on(SYS_io_uring_setup, 1), SECCOMP_RET_ERRNO | ENOSYS) << "opens sockets by itself";
  EXPECT_EQ(on(SYS_keyctl, 0), SECCOMP_RET_ERRNO | ENOSYS);
  EXPECT_EQ(on(SYS_openat, 0), SECCOMP_RET_ALLOW);
  const auto of_32_bit = [&](unsigned call) {
    return run_filter(filter, call, AF_INET, AUDIT_ARCH_I386);
  };
  for (const unsigned call : {102, 359, 360, 425, 288}) {  // 41 is dup there
    EXPECT_NE(of_32_bit(call), SECCOMP_RET_ALLOW) << call;
  }
  EXPECT_EQ(of_32_bit(41), SECCOMP_RET_ALLOW);
  const auto open = sandbox_filter(SandboxFilter::keyrings).value();
  EXPECT_EQ(run_filter(open, SYS_socket, AF_VSOCK, AUDIT_ARCH_X86_64), SECCOMP_RET_ALLOW);
  EXPECT_EQ(run_filter(open, SYS_keyctl, 0, AUDIT_ARCH_X86_64), SECCOMP_RET_ERRNO | ENOSYS);
}

TEST(FilterCode, ASandboxWithoutTracingHasNoWayIntoOtherProcesses) {
  constexpr unsigned kRefused = SECCOMP_RET_ERRNO | EPERM;
  constexpr unsigned kX32 = 0x40000000;
  const auto filter = sandbox_filter(SandboxFilter::keyrings_sockets_and_tracing).value();
  const auto open = sandbox_filter(SandboxFilter::keyrings_and_sockets).value();
  const auto expect = [&](unsigned call, unsigned architecture) {
    EXPECT_EQ(run_filter(filter, call, 0, architecture), kRefused) << call;
    EXPECT_EQ(run_filter(open, call, 0, architecture), SECCOMP_RET_ALLOW) << call;
  };
  for (const unsigned call :
       {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd}) {
    expect(call, AUDIT_ARCH_X86_64);
  }
  for (const unsigned call : {521U, 539U, 540U}) expect(call | kX32, AUDIT_ARCH_X86_64);
  for (const unsigned call : {26, 347, 348, 349, 438}) expect(call, AUDIT_ARCH_I386);
  EXPECT_EQ(run_filter(filter, SYS_socket, AF_VSOCK, AUDIT_ARCH_X86_64),
            SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  EXPECT_EQ(run_filter(filter, SYS_openat, 0, AUDIT_ARCH_X86_64), SECCOMP_RET_ALLOW);
}
#endif

}  // namespace
}  // namespace ralph::process

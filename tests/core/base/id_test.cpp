#include "core/base/id.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ralph {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

TEST(Id, HexHasTheLengthAskedFor) {
  EXPECT_EQ(random_hex(0), "");
  EXPECT_EQ(random_hex(3).size(), 6U);
  EXPECT_EQ(random_hex(1000).find_first_not_of(kHex), std::string::npos);
  EXPECT_EQ(random_hex(1000).size(), 2000U);
}

/// As under a seccomp filter that does not know the call.
void forbid_getrandom() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(code)), code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::_Exit(2);
  }
}

TEST(Id, IsMadeWithoutGetrandomToo) {
  const auto child = ::fork();
  if (child == 0) {
    forbid_getrandom();
    ::alarm(30);
    const auto one = random_hex(8);
    std::_Exit(one.size() == 16 && one != random_hex(8) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Id, UuidIsVersionFour) {
  for (int i = 0; i < 100; ++i) {
    const auto uuid = make_uuid();
    ASSERT_EQ(uuid.size(), 36U);
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) EXPECT_EQ(uuid[dash], '-') << uuid;
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos) << uuid;
    EXPECT_EQ(std::count(uuid.begin(), uuid.end(), '-'), 4);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
  }
}

TEST(Id, NoTwoAreEqual) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(make_uuid());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Id, RunIdSortsByTime) {
  const auto id = make_run_id();
  ASSERT_EQ(id.size(), 22U) << id;  // 20261115-143740-5f2a9c
  EXPECT_EQ(id[8], '-');
  EXPECT_EQ(id[15], '-');
  EXPECT_GT(id, "20250101-000000-000000");
  EXPECT_NE(id, make_run_id());
}

}  // namespace
}  // namespace ralph

#include "agent/tool/safe_file.h"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

TEST(SafeFile, ReplacesKeepingTheModeAndLeavesNothingBehind) {
  Desk desk;
  desk.put("run.sh", "old", 0755);
  ASSERT_TRUE(replace_file(desk.file("run.sh"), "new"));
  EXPECT_EQ(desk.bytes("run.sh"), "new");
  EXPECT_EQ(test::mode_of(desk.file("run.sh")), 0755u);
  EXPECT_EQ(std::distance(fs::directory_iterator(desk.root()), fs::directory_iterator()), 1);
}

TEST(SafeFile, KeepsConcurrentChangesOfOtherPrograms) {
  Desk desk;
  desk.put("a.txt", "old");
  const auto stamp = open_for_reading(desk.file("a.txt"))->stamp;
  desk.put("a.txt", "the user's own words");
  const auto refused = replace_file(desk.file("a.txt"), "new", stamp);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("changed by another program"));
  EXPECT_EQ(desk.bytes("a.txt"), "the user's own words");
  const auto now = open_for_reading(desk.file("a.txt"))->stamp;
  EXPECT_TRUE(replace_file(desk.file("a.txt"), "new", now));
  EXPECT_EQ(std::distance(fs::directory_iterator(desk.root()), fs::directory_iterator()), 1);
}

TEST(SafeFile, CreatesDirectories) {
  Desk desk;
  const test::Umask umask(022);
  ASSERT_TRUE(replace_file(desk.file("a/b/c.txt"), "x"));
  EXPECT_EQ(desk.bytes("a/b/c.txt"), "x");
  EXPECT_EQ(test::mode_of(desk.file("a/b/c.txt")), 0644u);
  EXPECT_EQ(test::mode_of(desk.file("a/b")), 0755u);
}

TEST(SafeFile, FollowsNoLinkWhereverItIs) {
  Desk desk;
  fs::create_symlink(desk.outside() / "target", desk.file("dangling"));
  EXPECT_FALSE(replace_file(desk.file("dangling"), "x"));
  fs::create_directory_symlink(desk.outside(), desk.file("folder"));
  EXPECT_FALSE(replace_file(desk.file("folder/x"), "x"));
  EXPECT_FALSE(replace_file(desk.file("folder/deep/x"), "x"));
  EXPECT_FALSE(open_for_reading(desk.file("folder/x")));
  EXPECT_TRUE(fs::is_empty(desk.outside()));
}

TEST(SafeFile, RefusesDirectoriesDevicesAndReadOnlyFiles) {
  Desk desk;
  fs::create_directory(desk.file("folder"));
  EXPECT_FALSE(replace_file(desk.file("folder"), "x"));
  EXPECT_FALSE(replace_file("/dev/null", "x"));
  EXPECT_FALSE(replace_file("/", "x"));
  EXPECT_FALSE(replace_file("relative", "x"));
  EXPECT_FALSE(replace_file(desk.file(std::string("a\0b", 3)), "x"));
  desk.put("file", "x");
  EXPECT_FALSE(replace_file(desk.file("file/below"), "x"));
  if (is_root()) return;
  desk.put("kept", "old", 0444);
  EXPECT_FALSE(replace_file(desk.file("kept"), "new"));
  EXPECT_EQ(desk.bytes("kept"), "old");
  fs::permissions(desk.file("folder"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(replace_file(desk.file("folder/x"), "new"));
}

TEST(SafeFile, RefusesProcessInformation) {
  for (const auto* const path :
       {"/proc/self/environ", "/proc/1/environ", "/proc/thread-self/mem"}) {
    const auto file = open_for_reading(path);
    ASSERT_FALSE(file) << path;
    EXPECT_TRUE(file.error().message.contains("information about a process")) << path;
  }
  EXPECT_TRUE(open_for_reading("/proc/meminfo"));
}

/// As in a container whose seccomp filter blocks openat2.
void forbid_openat2() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(code)), code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::_Exit(2);
  }
}

TEST(SafeFile, FollowsNoLinkWithoutOpenat2Either) {
  Desk desk;
  desk.put("folder/a.txt", "x");
  fs::create_directory_symlink(desk.file("folder"), desk.file("link"));
  const auto child = ::fork();
  if (child == 0) {
    forbid_openat2();
    const bool good = read_regular_file(desk.file("folder/a.txt"), 10) &&
                      !open_for_reading(desk.file("link/a.txt")) &&
                      !open_folder(desk.file("link")) &&
                      kind_of(desk.file("link/a.txt")) == FileKind::other &&
                      !replace_file(desk.file("link/b.txt"), "x");
    std::_Exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SafeFile, ADirectorySwappedForALinkNeverLeadsOutside) {
  Desk desk;
  fs::create_directory_symlink(desk.outside(), desk.file("link"));
  fs::create_directory(desk.file("swapped"));
  const auto swap = [link = desk.file("link"), folder = desk.file("swapped")] {
    return ::renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0;
  };
  if (!swap()) GTEST_SKIP() << "this file system cannot exchange two names";
  std::atomic<bool> over = false;
  std::thread swapper([&] {
    while (!over) swap();
  });
  int written = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto path = desk.file("swapped/file" + std::to_string(i));
    if (replace_file(path, "x")) ++written;
    (void)open_for_reading(desk.file("swapped/secret"));
  }
  over = true;
  swapper.join();
  EXPECT_TRUE(fs::is_empty(desk.outside()));
  EXPECT_GT(written, 0);
}

TEST(SafeFile, AFileSwappedForALinkNeverLeadsOutside) {
  Desk desk;
  const auto victim = desk.outside() / "victim";
  std::ofstream(victim) << "untouched";
  std::atomic<bool> over = false;
  std::thread swapper([&] {
    while (!over) {
      std::error_code ignored;
      fs::remove(desk.file("f"), ignored);
      fs::create_symlink(victim, desk.file("f"), ignored);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    (void)replace_file(desk.file("f"), "changed");
    EXPECT_NE(read_regular_file(desk.file("f"), 100).value_or(""), "untouched");
  }
  over = true;
  swapper.join();
  EXPECT_EQ(test::text_of(victim), "untouched");
}

TEST(SafeFile, ACallUsesThePathOfTheDecision) {
  for (const auto* const tool : {&write_tool(), &edit_tool(), &read_tool()}) {
    for (const auto* const name : {"f", "folder/f"}) {
      Desk desk;
      const auto victim = desk.outside() / "f";
      std::ofstream(victim) << "secret";
      desk.put(name, "inside");
      Document input{{"file_path", name}};
      if (tool == &write_tool()) input["content"] = "changed";
      if (tool == &edit_tool()) input.update({{"old_string", "secret"}, {"new_string", "changed"}});
      const auto access = tool->access(input, desk.workspace());
      ASSERT_TRUE(desk.workspace().contains(access.path));
      if (fs::path(name).has_parent_path()) {
        fs::remove_all(desk.file("folder"));
        fs::create_directory_symlink(desk.outside(), desk.file("folder"));
      } else {
        fs::remove(desk.file("f"));
        fs::create_symlink(victim, desk.file("f"));
      }
      const auto outcome = tool->run(input, access, desk.workspace(), {});
      EXPECT_EQ(outcome.is_error, true) << outcome.content;
      EXPECT_FALSE(outcome.content.contains("secret")) << outcome.content;
      EXPECT_EQ(test::text_of(victim), "secret");
    }
  }
}

TEST(SafeFile, LimitsTheSizeOfReads) {
  Desk desk;
  desk.put("a", "12345");
  EXPECT_EQ(read_regular_file(desk.file("a"), 5).value_or(""), "12345");
  const auto refused = read_regular_file(desk.file("a"), 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
}

}  // namespace
}  // namespace ralph::tool

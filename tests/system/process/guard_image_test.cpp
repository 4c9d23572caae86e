#include "system/process/guard_image.h"

#include <sys/wait.h>

#include "system/process/harness.h"

namespace ralph::process {
namespace {

TEST(GuardImage, IsSealed) {
  const int fd = guard_image_fd().value();
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
  EXPECT_LT(::write(fd, "x", 1), 0);
}

TEST(GuardImage, IsTheBuiltGuard) {
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string image = bytes("/proc/self/fd/" + std::to_string(guard_image_fd().value()));
  EXPECT_EQ(image, bytes(RALPH_BUILD "/ralph-guard"));
  EXPECT_TRUE(image.starts_with("\177ELF"));
}

TEST(GuardImage, FilesAreLookedForBesideTheExecutableThenInLibexec) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::create_directories(folder / "libexec/ralph");
  const std::string executable = (folder / "bin/ralph").string();
  EXPECT_TRUE(guard_files(executable).empty());
  const std::string in_libexec = folder.write("libexec/ralph/ralph-guard", "", 0755);
  EXPECT_EQ(guard_files(executable), std::vector{in_libexec});
  const std::string beside = folder.write("bin/ralph-guard", "", 0755);
  EXPECT_EQ(guard_files(executable), (std::vector{beside, in_libexec}));
  folder.write("bin/ralph-guard", "", 0644);
  EXPECT_EQ(guard_files(executable), std::vector{in_libexec});
}

TEST(GuardImage, IsNeverTakenFromTheFolderWeAreIn) {
  const TempFolder folder;
  folder.write("ralph-guard", "", 0755);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_TRUE(guard_files("").empty());
  EXPECT_TRUE(guard_files("ralph").empty());
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace ralph::process

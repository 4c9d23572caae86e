#include "harness/loop/file_identity.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/program_file.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr off_t kLargest = off_t{16} << 20;

}  // namespace

std::string identity_of(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  std::error_code error;
  if (S_ISLNK(info.st_mode)) return "link " + fs::read_symlink(path, error).native();
  if (!S_ISREG(info.st_mode)) return {};
  if (info.st_size > kLargest) {
    return fmt::format("inode {} {} {}.{}", info.st_ino, info.st_size, info.st_ctim.tv_sec,
                       info.st_ctim.tv_nsec);
  }
  const auto bytes = read_file(path, kLargest);
  return bytes ? "file " + sha256_hex(*bytes) : std::string();
}

bool is_content(std::string_view identity) { return !identity.starts_with("inode "); }

bool is_writable(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 ||
         ::faccessat(AT_FDCWD, path.parent_path().c_str(), W_OK, AT_EACCESS) == 0;
}

bool is_elf_file(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char magic[4] = {};
  return fd && ::read(fd.get(), magic, sizeof magic) == sizeof magic &&
         is_elf(std::string_view(magic, sizeof magic));
}

bool is_executable_script(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0 &&
         !is_elf_file(path);
}

}  // namespace ralph::loop

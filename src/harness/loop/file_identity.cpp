#include "harness/loop/file_identity.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the kernel follows
constexpr off_t kLargest = off_t{16} << 20;

/// The parts of a path, the last one first.
void push_parts(std::vector<fs::path>& parts, const fs::path& path) {
  const auto begin = parts.size();
  for (const auto& part : path.relative_path()) parts.push_back(part);
  std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.end());
}

}  // namespace

ResolvedPath resolve_links(const fs::path& path) {
  ResolvedPath trail;
  std::vector<fs::path> parts;
  push_parts(parts, path);
  fs::path at = "/";
  struct stat info{};
  while (!parts.empty()) {
    const auto part = parts.back();
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    auto next = at / part;
    if (::lstat(next.c_str(), &info) != 0) return trail;
    if (!S_ISLNK(info.st_mode)) {
      at = std::move(next);
      continue;
    }
    std::error_code error;
    const auto target = fs::read_symlink(next, error);
    if (error || trail.links.size() >= kMostLinks) return trail;
    trail.links.push_back(std::move(next));
    if (target.is_absolute()) at = "/";
    push_parts(parts, target);
  }
  if (::lstat(at.c_str(), &info) == 0 && S_ISREG(info.st_mode)) trail.file = std::move(at);
  return trail;
}

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

bool is_elf(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char magic[4] = {};
  return fd && ::read(fd.get(), magic, sizeof magic) == sizeof magic &&
         std::string_view(magic, sizeof magic) ==
             "\x7f"
             "ELF";
}

bool is_executable_script(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0 && !is_elf(path);
}

}  // namespace ralph::loop

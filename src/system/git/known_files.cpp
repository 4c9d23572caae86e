#include "system/git/known_files.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/sha1.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"

namespace ralph::git {
namespace {

constexpr std::int64_t kMostRead = std::int64_t{128} << 20;  // in one look: it cannot be stopped
constexpr std::size_t kMostKnownFiles = 500'000;             // of an index of about 64 MB
constexpr std::int64_t kMargin = 2;                          // seconds
constexpr long kXfs = 0x58465342;

/// A lease there is refused while the file is mapped for writing; on overlayfs it is not.
bool is_suitable(int folder) {
  constexpr std::array<long, 5> kSuitable{EXT4_SUPER_MAGIC, kXfs, BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
                                          F2FS_SUPER_MAGIC};
  struct statfs info{};
  return ::fstatfs(folder, &info) == 0 &&
         std::ranges::find(kSuitable, static_cast<long>(info.f_type)) != kSuitable.end();
}

bool is_same(const struct stat& a, const struct stat& b) {
  const auto same_time = [](const timespec& x, const timespec& y) {
    return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec;
  };
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode &&
         a.st_size == b.st_size && same_time(a.st_mtim, b.st_mtim) &&
         same_time(a.st_ctim, b.st_ctim);
}

/// The kernel grants a lease for reading only while no descriptor and no mapping could write to the file. Whoever opens it
/// for writing in that moment waits until the lease is given back, and we get the signal, which does nothing.
bool has_no_writer(int fd) {
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0 || ::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return false;
  return ::fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}

/// Exactly as many bytes as lstat said.
bool append_bytes(int fd, std::size_t size, std::string& out) {
  const auto end = out.size() + size;
  auto at = out.size();
  out.resize(end);
  while (at < end) {
    const auto got = ::read(fd, out.data() + at, end - at);
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

bool append_file(int root, const std::string& path, const struct stat& info, std::string& out) {
  const UniqueFd fd(
      ::openat(root, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat now{};
  if (!fd || ::fstat(fd.get(), &now) != 0 || !is_same(now, info)) return false;
  return has_no_writer(fd.get()) &&
         append_bytes(fd.get(), static_cast<std::size_t>(now.st_size), out);
}

bool append_target(int root, const std::string& path, const struct stat& info, std::string& out) {
  const auto begin = out.size();
  const auto size = static_cast<std::size_t>(info.st_size);
  out.resize(begin + size + 1);
  const auto got = ::readlinkat(root, path.c_str(), out.data() + begin, size + 1);
  if (got != info.st_size) return false;
  out.resize(begin + size);
  return true;
}

}  // namespace

std::optional<KnownFiles::Disk> KnownFiles::Disk::of(int fresh) {
  struct stat info{};
  if (!is_suitable(fresh) || ::fstat(fresh, &info) != 0) return std::nullopt;
  return Disk{info.st_dev, info.st_ctim.tv_sec};
}

/// The order of the three steps matters: lstat, then check for writers, then read. A write after the check gets a later
/// ctime than lstat reported. Returns nullopt if the file cannot be vouched for.
std::optional<KnownFiles::Known> KnownFiles::look_at(int root, const IndexEntry& entry,
                                                     const Disk& disk) {
  struct stat info{};
  if (::fstatat(root, entry.path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  const auto found = files_.find(entry.path);
  if (found != files_.end() && is_same(found->second.info, info)) return found->second;
  const bool link = S_ISLNK(info.st_mode);
  if ((!link && !S_ISREG(info.st_mode)) || link != (entry.mode == 0120000)) return std::nullopt;
  if (info.st_dev != disk.device || info.st_size > may_read_) return std::nullopt;
  if (info.st_ctim.tv_sec + kMargin >= disk.now) return std::nullopt;
  may_read_ -= info.st_size;
  ++reads_;
  auto bytes = fmt::format("blob {}", info.st_size) + '\0';
  const auto append = link ? append_target : append_file;
  if (!append(root, entry.path, info, bytes)) return std::nullopt;
  return Known{entry.id.size() == kSha1Digits ? sha1_hex(bytes) : sha256_hex(bytes), info};
}

std::vector<std::optional<struct stat>> KnownFiles::look(const std::filesystem::path& root,
                                                         const std::vector<IndexEntry>& entries,
                                                         std::optional<Disk> disk) {
  std::vector<std::optional<struct stat>> found(entries.size());
  std::unordered_map<std::string, Known> files;
  const UniqueFd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  may_read_ = kMostRead;
  for (std::size_t i = 0; disk && folder && i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (!entry.compared() || entry.mode == 0160000 || files.size() >= kMostKnownFiles) continue;
    auto known = look_at(folder.get(), entry, *disk);
    if (!known) continue;
    if (known->id == entry.id) found[i] = known->info;
    files.insert_or_assign(entry.path, *std::move(known));
  }
  files_ = std::move(files);
  return found;
}

}  // namespace ralph::git

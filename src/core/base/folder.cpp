#include "core/base/folder.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/id.h"

namespace ralph {
namespace {

namespace fs = std::filesystem;
using Kind = Folder::Kind;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr std::size_t kMostLevels = 16;  // folders held open while a tree is removed
constexpr int kFileFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

struct Remedy {
  int error_number;
  std::string_view hint;
};
constexpr Remedy kRemedies[] = {
    {EACCES, "make it readable and writable for this user, or work in another directory"},
    {EPERM, "it belongs to another user: run as that user, or work in another directory"},
    {EROFS, "the file system is read-only: work in a directory that can be written"},
    {ENOSPC, "the disk is full: free some space"},
    {EDQUOT, "the quota is used up: free some space"},
    {EEXIST, "move what is there away"},
    {ENOENT, "create the directory it belongs in"},
    {ELOOP, "a symbolic link is in the way: remove it"},
    {EISDIR, "a directory is in the way: remove it"},
    {ENOTEMPTY, "a directory is in the way: remove it"},
    {EFBIG, "the file may not grow further: see ulimit -f"},
    {EMFILE, "raise the limit on open files (ulimit -n)"},
    {ENFILE, "the system has too many open files: close some programs"},
};

std::string remedy_of(int error_number) {
  for (const auto& remedy : kRemedies) {
    if (remedy.error_number == error_number) return std::string(remedy.hint);
  }
  return {};
}

Kind kind_of_stat(const struct stat& info) {
  switch (info.st_mode & S_IFMT) {
    case S_IFREG: return info.st_nlink > 1 ? Kind::hard_link : Kind::file;
    case S_IFDIR: return Kind::folder;
    case S_IFLNK: return Kind::link;
    case S_IFIFO: return Kind::fifo;
    case S_IFSOCK: return Kind::socket;
    case S_IFCHR:
    case S_IFBLK: return Kind::device;
    default: return Kind::unknown;
  }
}

Kind kind_at(int at, const char* name) {
  struct stat info{};
  if (::fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Kind::missing : Kind::unknown;
  }
  return kind_of_stat(info);
}

std::string_view in_words(Kind kind) {
  switch (kind) {
    case Kind::missing: return "missing";
    case Kind::file: return "a file";
    case Kind::hard_link: return "a file with more than one hard link";
    case Kind::folder: return "a directory";
    case Kind::link: return "a symbolic link";
    case Kind::fifo: return "a named pipe";
    case Kind::socket: return "a socket";
    case Kind::device: return "a device";
    case Kind::unknown: break;
  }
  return "neither a file nor a directory";
}

/// False for a name that could lead out of the directory: a programming error.
bool is_single_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

std::unexpected<Error> fail_name(std::string_view name) {
  return fail(Code::malformed, fmt::format("'{}' is not the name of a file", name));
}

std::unexpected<Error> fail_not_folder(const fs::path& path, Kind kind) {
  return fail(Code::malformed, fmt::format("'{}' is {}", path.native(), in_words(kind)),
              kind == Kind::link
                  ? "ralph needs a directory there: check where the link leads, then remove it"
                  : "ralph needs a directory there: move it away");
}

using DirPtr = std::unique_ptr<DIR, int (*)(DIR*)>;

/// A new directory stream, which starts at the first entry.
DirPtr list(int folder) {
  UniqueFd fd(::openat(folder, ".", kFolderFlags));
  DIR* const dir = fd ? ::fdopendir(fd.get()) : nullptr;
  if (dir != nullptr) fd.release();
  return {dir, ::closedir};
}

bool is_dot(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

/// If this fails, so does what comes next.
void let_owner_in(int at, const char* name) {
  [[maybe_unused]] const int done = ::fchmodat(at, name, 0700, AT_SYMLINK_NOFOLLOW);
}

DirPtr open_for_removal(int at, const std::string& name) {
  UniqueFd fd(::openat(at, name.c_str(), kFolderFlags));
  if (!fd && errno == EACCES) {
    let_owner_in(at, name.c_str());
    fd.reset(::openat(at, name.c_str(), kFolderFlags));
  }
  if (fd) ::fchmod(fd.get(), 0700);
  DIR* const dir = fd ? ::fdopendir(fd.get()) : nullptr;
  if (dir != nullptr) fd.release();
  return {dir, ::closedir};
}

/// Removes the folder `name` and what it holds. Folders that are nested too deeply are moved up to `at`; their new
/// names are added to `waiting`.
void remove_tree(int at, const std::string& name, std::vector<std::string>& waiting) {
  struct Level {
    DirPtr entries;
    std::string name;
  };
  std::vector<Level> levels;
  const auto enter = [&](int parent, std::string entry) {
    auto entries = open_for_removal(parent, entry);
    if (entries) levels.push_back({std::move(entries), std::move(entry)});
  };
  for (enter(at, name); !levels.empty();) {
    const int fd = ::dirfd(levels.back().entries.get());
    const dirent* const entry = ::readdir(levels.back().entries.get());
    if (entry == nullptr) {
      const auto emptied = std::move(levels.back().name);
      levels.pop_back();
      const int parent = levels.empty() ? at : ::dirfd(levels.back().entries.get());
      ::unlinkat(parent, emptied.c_str(), AT_REMOVEDIR);
      continue;
    }
    if (is_dot(entry->d_name) || ::unlinkat(fd, entry->d_name, 0) == 0) continue;
    if (kind_at(fd, entry->d_name) != Kind::folder) continue;
    if (levels.size() < kMostLevels) {
      enter(fd, entry->d_name);
      continue;
    }
    let_owner_in(fd, entry->d_name);  // a folder can be moved only by who may write into it
    auto moved = ".removed-" + random_hex(8);
    if (::renameat(fd, entry->d_name, at, moved.c_str()) == 0) waiting.push_back(std::move(moved));
  }
}

}  // namespace

std::unexpected<Error> fail_storage(int error_number, std::string what) {
  return std::unexpected(
      as_storage(fail_errno(error_number, std::move(what), remedy_of(error_number)).error()));
}

std::unexpected<Error> Folder::fail_at(int error_number, std::string_view what,
                                       std::string_view name) const {
  auto failed = fail_storage(error_number, fmt::format("{} '{}'", what, path_of(name).native()));
  if (error_number == ENOENT) failed.error().code = Code::not_found;
  if (error_number == EEXIST) failed.error().code = Code::busy;
  return failed;
}

Result<Folder> Folder::open_at(int at, const char* name, fs::path path) {
  UniqueFd fd(::openat(at, name, kFolderFlags));
  if (fd) return Folder(std::move(fd), std::move(path));
  const int error_number = errno;
  if (error_number == ENOTDIR || error_number == ELOOP) {
    const auto kind = kind_at(at, name);
    if (kind != Kind::folder && kind != Kind::missing) return fail_not_folder(path, kind);
  }
  auto failed =
      fail_storage(error_number, fmt::format("cannot open directory '{}'", path.native()));
  if (error_number == ENOENT) failed.error().code = Code::not_found;
  return failed;
}

/// The mode of an existing one is changed only where it lets others in.
Result<Folder> Folder::make_at(int at, const char* name, fs::path path) {
  const bool made = ::mkdirat(at, name, 0700) == 0;
  if (!made && errno != EEXIST) {
    return fail_storage(errno, fmt::format("cannot create directory '{}'", path.native()));
  }
  if (made) let_owner_in(at, name);  // it cannot be opened under every umask
  TRY_ASSIGN(auto folder, open_at(at, name, std::move(path)));
  const auto shown = folder.path_.native();
  struct stat info{};
  if (::fstat(folder.fd(), &info) != 0) {
    return fail_storage(errno, fmt::format("cannot stat '{}'", shown));
  }
  const mode_t wanted = made ? 0700 : info.st_mode & 0700;
  if ((info.st_mode & 0777) != wanted && ::fchmod(folder.fd(), wanted) != 0) {
    return fail_storage(errno, fmt::format("cannot set the mode of directory '{}'", shown));
  }
  if (::faccessat(folder.fd(), ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return fail_storage(errno, fmt::format("cannot write to directory '{}'", shown));
  }
  return folder;
}

Result<Folder> Folder::open(const fs::path& path) { return open_at(AT_FDCWD, path.c_str(), path); }

Result<Folder> Folder::make(const fs::path& path) { return make_at(AT_FDCWD, path.c_str(), path); }

Result<Folder> Folder::open_folder(std::string_view name) const {
  if (!is_single_name(name)) return fail_name(name);
  return open_at(fd(), std::string(name).c_str(), path_of(name));
}

Result<Folder> Folder::make_folder(std::string_view name) const {
  if (!is_single_name(name)) return fail_name(name);
  return make_at(fd(), std::string(name).c_str(), path_of(name));
}

Kind Folder::kind_of(std::string_view name) const {
  return is_single_name(name) ? kind_at(fd(), std::string(name).c_str()) : Kind::unknown;
}

Result<> Folder::check_file(std::string_view name, Kind kind) const {
  if (kind == Kind::file || kind == Kind::missing) return {};
  const auto shown = path_of(name).native();
  return fail(Code::malformed, fmt::format("'{}' is {}", shown, in_words(kind)),
              kind == Kind::hard_link
                  ? "it may be another program's file: remove this link, or replace it with a copy"
                  : "ralph uses only regular files there: check what it is, then remove it");
}

/// Checks twice: a device must not be opened at all, and the file may be replaced before it is opened.
Result<UniqueFd> Folder::open_file(const std::string& name, int flags) const {
  if (!is_single_name(name)) return fail_name(name);
  struct stat info{};
  if (::fstatat(fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    TRY(check_file(name, kind_of_stat(info)));
  } else if (errno != ENOENT) {
    return fail_at(errno, "cannot stat", name);
  }
  UniqueFd file(::openat(fd(), name.c_str(), flags | kFileFlags, 0600));
  if (!file) return fail_at(errno, "cannot open", name);
  if (::fstat(file.get(), &info) != 0) return fail_at(errno, "cannot stat", name);
  TRY(check_file(name, kind_of_stat(info)));
  return file;
}

Result<UniqueFd> Folder::open_read(std::string_view name) const {
  return open_file(std::string(name), O_RDONLY);
}

Result<std::string> Folder::read(std::string_view name, std::size_t max_bytes) const {
  TRY_ASSIGN(const auto file, open_read(name));
  return read_open_file(file.get(), path_of(name), max_bytes);
}

Result<UniqueFd> Folder::open_append(std::string_view name) const {
  TRY_ASSIGN(auto file, open_file(std::string(name), O_RDWR | O_APPEND | O_CREAT));
  if (::fchmod(file.get(), 0600) != 0) return fail_at(errno, "cannot set the mode of", name);
  return file;
}

Result<UniqueFd> Folder::create(std::string_view name) const {
  if (!is_single_name(name)) return fail_name(name);
  UniqueFd file(::openat(fd(), std::string(name).c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_APPEND | kFileFlags, 0600));
  if (!file || ::fchmod(file.get(), 0600) != 0) return fail_at(errno, "cannot create", name);
  return file;
}

Result<> Folder::write_atomically(std::string_view name, std::string_view bytes,
                                  unsigned mode) const {
  if (!is_single_name(name)) return fail_name(name);
  const auto temp = fmt::format(".{}.{}.tmp", name, random_hex(8));
  const auto fill = [&]() -> Result<> {
    TRY_ASSIGN(const auto file, create(temp));
    if (const int error = try_write_all(file.get(), bytes); error != 0) {
      return fail_at(error, "cannot write", temp);
    }
    if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) {
      return fail_at(errno, "cannot set the mode of", temp);
    }
    if (::fsync(file.get()) != 0) return fail_at(errno, "cannot sync", temp);
    if (::renameat(fd(), temp.c_str(), fd(), std::string(name).c_str()) != 0) {
      return fail_at(errno, "cannot replace", name);
    }
    return {};
  };
  if (auto done = fill(); !done) {
    ::unlinkat(fd(), temp.c_str(), 0);
    return done;
  }
  // Some file systems cannot sync a folder; the rename itself has happened.
  if (::fsync(fd()) != 0 && errno != EINVAL && errno != EROFS) {
    return fail_storage(errno, fmt::format("cannot sync directory '{}'", path_.native()));
  }
  return {};
}

Result<> Folder::rename(std::string_view from, std::string_view to) const {
  if (!is_single_name(from) || !is_single_name(to)) return fail_name(from);
  const std::string old_name(from), new_name(to);
  if (::renameat2(fd(), old_name.c_str(), fd(), new_name.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return fail_at(errno, "cannot rename", from);
  // A file system that cannot promise it.
  if (kind_of(to) != Kind::missing) return fail_at(EEXIST, "cannot rename", from);
  if (::renameat(fd(), old_name.c_str(), fd(), new_name.c_str()) == 0) return {};
  return fail_at(errno, "cannot rename", from);
}

Result<> Folder::remove(std::string_view name) const {
  if (!is_single_name(name)) return fail_name(name);
  if (::unlinkat(fd(), std::string(name).c_str(), 0) == 0 || errno == ENOENT) return {};
  return fail_at(errno, "cannot remove", name);
}

void Folder::remove_all(std::string_view name) const {
  if (!is_single_name(name) || remove(name)) return;
  std::vector<std::string> waiting{std::string(name)};
  while (!waiting.empty()) {
    const auto next = std::move(waiting.back());
    waiting.pop_back();
    if (kind_of(next) == Kind::folder) remove_tree(fd(), next, waiting);
  }
}

Result<std::vector<std::string>> Folder::names(std::size_t most) const {
  const auto entries = list(fd());
  if (!entries) {
    return fail_storage(errno, fmt::format("cannot list directory '{}'", path_.native()));
  }
  std::vector<std::string> found;
  while (found.size() < most) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    if (!is_dot(entry->d_name)) found.emplace_back(entry->d_name);
  }
  return found;
}

}  // namespace ralph

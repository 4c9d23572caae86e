#include "agent/tool/safe_file.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/tool/path_walk.h"
#include "core/base/file.h"
#include "core/base/id.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadPiece = 65536;

FileKind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::folder;
  return S_ISLNK(mode) ? FileKind::link : FileKind::other;
}

Result<> require_regular(mode_t mode, const fs::path& path) {
  switch (kind_of_mode(mode)) {
    case FileKind::regular: return {};
    case FileKind::folder:
      return fail(Code::usage, fmt::format("'{}' is a directory, not a file", path.string()));
    case FileKind::link: return refused_link(path);
    default:
      return fail(Code::usage,
                  fmt::format("'{}' is a device, pipe or socket, not a file", path.string()),
                  "only regular files are read and written");
  }
}

Result<> may_be_replaced(int folder, const std::string& name, const struct stat& info,
                         const fs::path& path) {
  TRY(require_regular(info.st_mode, path));
  if (::faccessat(folder, name.c_str(), W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, fmt::format("cannot write '{}'", path.string()));
  }
  return {};
}

std::unexpected<Error> changed_meanwhile(const fs::path& path) {
  return fail(
      Code::busy,
      fmt::format("'{}' was changed by another program; nothing was written", path.string()),
      "read it again");
}

/// fstat() of an open file; fails if it is not a regular file.
Result<struct stat> info_of(int fd, const fs::path& path) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    return fail_errno(errno, fmt::format("cannot read '{}'", path.string()));
  }
  TRY(require_regular(info.st_mode, path));
  return info;
}

/// A temporary file that replaces another one; removed if it does not.
class Replacement {
 public:
  explicit Replacement(int folder) : folder_(folder), name_(".ralph-" + random_hex(8) + ".tmp") {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (exists_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  Result<FileStamp> fill(std::string_view bytes, const std::optional<struct stat>& old,
                         const fs::path& path) {
    const UniqueFd file(::openat(folder_, name_.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 old ? 0600 : 0666));
    if (!file) {
      return fail_errno(errno, fmt::format("cannot write to the directory of '{}'", path.string()));
    }
    exists_ = true;
    if (old && ::fchmod(file.get(), old->st_mode & 0777u) != 0) {
      return fail_errno(errno, fmt::format("cannot keep the mode of '{}'", path.string()));
    }
    TRY(write_all(file.get(), bytes, path.string()));
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) {
      return fail_errno(errno, fmt::format("cannot write '{}'", path.string()));
    }
    return stamp_of(info);
  }

  Result<> take_place_of(const std::string& name, const fs::path& path) {
    return renamed(::renameat(folder_, name_.c_str(), folder_, name.c_str()), path);
  }
  /// Fails if the name exists.
  Result<> take_free_place(const std::string& name, const fs::path& path) {
    const int done = ::renameat2(folder_, name_.c_str(), folder_, name.c_str(), RENAME_NOREPLACE);
    if (done != 0 && errno == EEXIST) return changed_meanwhile(path);
    const bool unsupported = done != 0 && (errno == EINVAL || errno == ENOSYS);
    return unsupported ? take_place_of(name, path) : renamed(done, path);
  }

 private:
  Result<> renamed(int done, const fs::path& path) {
    if (done != 0) return fail_errno(errno, fmt::format("cannot write '{}'", path.string()));
    exists_ = false;
    return {};
  }

  int folder_;
  std::string name_;
  bool exists_ = false;
};

}  // namespace

FileStamp stamp_of(const struct stat& info) {
  return {std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
          static_cast<std::uintmax_t>(info.st_size), info.st_ino};
}

FileKind kind_of(const fs::path& resolved) {
  const auto folder = open_parent(resolved, Missing::is_an_error);
  if (!folder) {
    return folder.error().code == Code::not_found ? FileKind::missing : FileKind::other;
  }
  const auto name = resolved.filename().string();
  if (name.empty()) return FileKind::folder;
  const auto info = look(folder->get(), name);
  if (info) return kind_of_mode(info->st_mode);
  return errno == ENOENT || errno == ENOTDIR ? FileKind::missing : FileKind::other;
}

bool is_process_information(const fs::path& resolved) {
  auto part = resolved.begin();
  if (part == resolved.end()) return false;
  ++part;
  if (part == resolved.end() || *part != "proc") return false;
  ++part;
  if (part == resolved.end() || part->empty()) return true;
  const auto name = part->string();
  return name == "self" || name == "thread-self" ||
         name.find_first_not_of("0123456789") == std::string::npos;
}

Result<OpenFile> open_for_reading(const fs::path& resolved) {
  if (is_process_information(resolved)) {
    return fail(Code::permission,
                fmt::format("'{}' is information about a process, which may contain keys; reading "
                            "it is not allowed",
                            resolved.string()));
  }
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_an_error));
  const auto name = resolved.filename().string();
  if (const auto info = look(folder.get(), name)) TRY(require_regular(info->st_mode, resolved));
  UniqueFd file(::openat(folder.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return fail_errno(errno, fmt::format("cannot open '{}'", resolved.string()));
  TRY_ASSIGN(const auto info, info_of(file.get(), resolved));
  return OpenFile{std::move(file), stamp_of(info)};
}

fs::path path_of_descriptor(int fd) { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd); }

fs::path OpenFolder::path() const { return path_of_descriptor(fd.get()); }

Result<OpenFolder> open_folder(const fs::path& resolved) {
  TRY_ASSIGN(auto fd, open_folder_path(resolved, Missing::is_an_error));
  return OpenFolder{std::move(fd)};
}

Result<std::string_view> read_piece(const OpenFile& file, std::string& piece,
                                    const fs::path& name) {
  piece.resize(kReadPiece);
  for (;;) {
    const auto got = ::read(file.fd.get(), piece.data(), piece.size());
    if (got >= 0) return std::string_view(piece).substr(0, static_cast<std::size_t>(got));
    if (errno != EINTR) return fail_errno(errno, fmt::format("cannot read '{}'", name.string()));
  }
}

Result<std::string> read_whole(const OpenFile& file, std::size_t max_bytes, const fs::path& name) {
  const auto too_large = [&] {
    return fail(Code::limit,
                fmt::format("'{}' is larger than {} MB", name.string(), max_bytes >> 20));
  };
  if (file.stamp.size > max_bytes) return too_large();
  if (::lseek(file.fd.get(), 0, SEEK_SET) < 0) {
    return fail_errno(errno, fmt::format("cannot read '{}'", name.string()));
  }
  std::string text;
  text.reserve(file.stamp.size);
  std::string piece;
  for (;;) {
    TRY_ASSIGN(const auto more, read_piece(file, piece, name));
    if (more.empty()) return text;
    text += more;
    if (text.size() > max_bytes) return too_large();  // it grew, or its reported size is wrong
  }
}

Result<std::string> read_regular_file(const fs::path& resolved, std::size_t max_bytes) {
  TRY_ASSIGN(const auto file, open_for_reading(resolved));
  return read_whole(file, max_bytes, resolved);
}

Result<UniqueFd> open_for_appending(const fs::path& resolved) {
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_an_error));
  const auto name = resolved.filename().string();
  if (const auto info = look(folder.get(), name)) TRY(require_regular(info->st_mode, resolved));
  UniqueFd file(
      ::openat(folder.get(), name.c_str(),
               O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  if (!file) return fail_errno(errno, fmt::format("cannot open '{}'", resolved.string()));
  TRY(info_of(file.get(), resolved));
  return file;
}

Result<UniqueFd> create_private_file(const fs::path& resolved) {
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_made_private));
  UniqueFd file(::openat(folder.get(), resolved.filename().c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail_errno(errno, fmt::format("cannot create '{}'", resolved.string()));
  return file;
}

Result<FileStamp> replace_file(const fs::path& resolved, std::string_view bytes,
                               const std::optional<FileStamp>& expected) {
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_made));
  const auto name = resolved.filename().string();
  if (name.empty()) {
    return fail(Code::usage, fmt::format("'{}' is a directory", resolved.string()));
  }
  const auto old = look(folder.get(), name);
  if (old) TRY(may_be_replaced(folder.get(), name, *old, resolved));
  Replacement replacement(folder.get());
  TRY_ASSIGN(const auto stamp, replacement.fill(bytes, old, resolved));
  if (expected) {
    const auto now = look(folder.get(), name);
    if (!now || stamp_of(*now) != *expected) return changed_meanwhile(resolved);
  }
  TRY(old ? replacement.take_place_of(name, resolved)
          : replacement.take_free_place(name, resolved));
  return stamp;
}

}  // namespace ralph::tool

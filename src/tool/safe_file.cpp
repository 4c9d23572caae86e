#include "tool/safe_file.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/id.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kPiece = 65536;
enum class Missing { is_an_error, is_made };

std::unexpected<Error> moved(const fs::path& path) {
  return fail(Code::permission,
              fmt::format("'{}' is reached through a symbolic link that leads nowhere, or that "
                          "appeared after the path was checked",
                          path.string()),
              "name the real file");
}

/// Below `folder`, which is closed.
Result<UniqueFd> step_into(UniqueFd folder, const std::string& name, const fs::path& whole,
                           Missing missing) {
  UniqueFd next(::openat(folder.get(), name.c_str(), kFolderFlags));
  if (!next && errno == ENOENT && missing == Missing::is_made) {
    if (::mkdirat(folder.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
      return fail_errno(errno, fmt::format("cannot create the folder of '{}'", whole.string()));
    }
    next.reset(::openat(folder.get(), name.c_str(), kFolderFlags));
  }
  if (next) return next;
  const int why = errno;
  struct stat info{};
  if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(info.st_mode)) {
    return moved(whole);
  }
  return fail_errno(why, fmt::format("cannot open the folder of '{}'", whole.string()));
}

Result<UniqueFd> open_parent(const fs::path& path, Missing missing) {
  if (!path.is_absolute() || path.native().find('\0') != std::string::npos) {
    return fail(Code::usage, fmt::format("'{}' is no path of a file", path.string()));
  }
  UniqueFd folder(::open("/", kFolderFlags));
  if (!folder) return fail_errno(errno, "cannot open '/'");
  for (const auto& part : path.parent_path().relative_path()) {
    TRY_ASSIGN(folder, step_into(std::move(folder), part.string(), path, missing));
  }
  return folder;
}

FileKind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::folder;
  return S_ISLNK(mode) ? FileKind::link : FileKind::other;
}

/// nullopt: there is nothing of that name.
std::optional<struct stat> look(int folder, const std::string& name) {
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info;
}

Result<> require_regular(mode_t mode, const fs::path& path) {
  switch (kind_of_mode(mode)) {
    case FileKind::regular: return {};
    case FileKind::folder:
      return fail(Code::usage, fmt::format("'{}' is a directory, not a file", path.string()));
    case FileKind::link: return moved(path);
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

/// A file that is to take another's place; removed unless it did.
class Replacement {
 public:
  explicit Replacement(int folder) : folder_(folder), name_(".ralph-" + random_hex(8) + ".tmp") {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (exists_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  Result<> fill(std::string_view bytes, const std::optional<struct stat>& old,
                const fs::path& path) {
    const UniqueFd file(::openat(folder_, name_.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 old ? 0600 : 0666));
    if (!file) {
      return fail_errno(errno, fmt::format("cannot write in the folder of '{}'", path.string()));
    }
    exists_ = true;
    if (old && ::fchmod(file.get(), old->st_mode & 0777u) != 0) {
      return fail_errno(errno, fmt::format("cannot keep the mode of '{}'", path.string()));
    }
    return write_all(file.get(), bytes, path.string());
  }

  Result<> take_place_of(const std::string& name, const fs::path& path) {
    if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) {
      return fail_errno(errno, fmt::format("cannot write '{}'", path.string()));
    }
    exists_ = false;
    return {};
  }

 private:
  int folder_;
  std::string name_;
  bool exists_ = false;
};

}  // namespace

FileKind kind_of(const fs::path& resolved) {
  struct stat info{};
  if (::lstat(resolved.c_str(), &info) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? FileKind::missing : FileKind::other;
  }
  return kind_of_mode(info.st_mode);
}

Result<OpenFile> open_for_reading(const fs::path& resolved) {
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_an_error));
  const auto name = resolved.filename().string();
  if (const auto info = look(folder.get(), name)) TRY(require_regular(info->st_mode, resolved));
  UniqueFd file(::openat(folder.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return fail_errno(errno, fmt::format("cannot open '{}'", resolved.string()));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) {
    return fail_errno(errno, fmt::format("cannot read '{}'", resolved.string()));
  }
  TRY(require_regular(info.st_mode, resolved));
  return OpenFile{std::move(file), static_cast<std::uintmax_t>(info.st_size)};
}

Result<std::string_view> read_piece(const OpenFile& file, std::string& piece,
                                    const fs::path& name) {
  piece.resize(kPiece);
  for (;;) {
    const auto got = ::read(file.fd.get(), piece.data(), piece.size());
    if (got >= 0) return std::string_view(piece).substr(0, static_cast<std::size_t>(got));
    if (errno != EINTR) return fail_errno(errno, fmt::format("cannot read '{}'", name.string()));
  }
}

Result<std::string> read_regular_file(const fs::path& resolved, std::size_t max_bytes) {
  TRY_ASSIGN(const auto file, open_for_reading(resolved));
  const auto too_large = [&] {
    return fail(Code::limit,
                fmt::format("'{}' is larger than {} MB", resolved.string(), max_bytes >> 20));
  };
  if (file.size > max_bytes) return too_large();
  std::string text;
  text.reserve(file.size);
  std::string piece;
  for (;;) {
    TRY_ASSIGN(const auto more, read_piece(file, piece, resolved));
    if (more.empty()) return text;
    text += more;
    if (text.size() > max_bytes) return too_large();  // it grew, or it lies about its size
  }
}

Result<> replace_file(const fs::path& resolved, std::string_view bytes) {
  TRY_ASSIGN(const auto folder, open_parent(resolved, Missing::is_made));
  const auto name = resolved.filename().string();
  if (name.empty()) {
    return fail(Code::usage, fmt::format("'{}' is a directory", resolved.string()));
  }
  const auto old = look(folder.get(), name);
  if (old) TRY(may_be_replaced(folder.get(), name, *old, resolved));
  Replacement replacement(folder.get());
  TRY(replacement.fill(bytes, old, resolved));
  return replacement.take_place_of(name, resolved);
}

}  // namespace ralph::tool

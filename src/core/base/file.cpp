#include "core/base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/id.h"
#include "core/base/unique_fd.h"

namespace ralph {
namespace {

std::string quoted(const std::filesystem::path& path) { return fmt::format("'{}'", path.native()); }

Result<UniqueFd> open_file(const std::filesystem::path& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(errno, "cannot open " + quoted(path));
  return UniqueFd(fd);
}

Result<> sync_folder(const std::filesystem::path& folder) {
  TRY_ASSIGN(auto fd, open_file(folder, O_RDONLY | O_DIRECTORY, 0));
  // Some file systems cannot sync a folder; the rename itself has happened.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
    return fail_errno(errno, "cannot sync directory " + quoted(folder));
  }
  return {};
}

Result<> fill_and_rename(const std::filesystem::path& temp, const std::filesystem::path& path,
                         std::string_view bytes, unsigned mode) {
  const UniqueFd fd(::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "cannot write " + quoted(path));
  TRY(write_all(fd.get(), bytes, path.native()));
  if (::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) {
    return fail_errno(errno, "cannot set the mode of " + quoted(path));
  }
  if (::fsync(fd.get()) != 0) return fail_errno(errno, "cannot sync " + quoted(path));
  if (::rename(temp.c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "cannot replace " + quoted(path));
  }
  return {};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  auto parent = path.parent_path();
  return parent.empty() ? std::filesystem::path(".") : parent;
}

/// A descriptor of our own by name: who gave it to us writes to it, or has closed it.
bool is_own_descriptor(const std::filesystem::path& path) {
  const auto& name = path.native();
  return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

/// /dev/null, or a link to it, which switches a settings file off.
bool is_null_device(const struct stat& info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
}

/// That reading it comes to an end.
Result<> check_readable(const std::filesystem::path& path, const struct stat& info) {
  const auto mode = info.st_mode;
  if (S_ISREG(mode) || is_own_descriptor(path) || is_null_device(info)) return {};
  const auto* const what = S_ISDIR(mode)    ? " is a directory, not a file"
                           : S_ISFIFO(mode) ? " is a named pipe, not a file"
                           : S_ISSOCK(mode) ? " is a socket, not a file"
                                            : " is a device, not a file";
  return fail(Code::usage, quoted(path) + what);
}

std::unexpected<Error> too_large(std::string_view name, std::size_t size, std::size_t max_bytes) {
  return fail(Code::limit,
              fmt::format("{} is too large: {} bytes or more (limit: {})", name, size, max_bytes));
}

}  // namespace

Result<std::string> read_fd(int fd, std::string_view name, std::size_t max_bytes) {
  std::string text;
  char piece[65536];
  for (;;) {
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLIN, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (got < 0) return fail_errno(errno, fmt::format("cannot read {}", name));
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return too_large(name, text.size(), max_bytes);
  }
}

Result<std::string> read_open_file(int fd, const std::filesystem::path& path,
                                   std::size_t max_bytes) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return fail_errno(errno, "cannot read " + quoted(path));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > max_bytes) return too_large(quoted(path), size, max_bytes);
  return read_fd(fd, quoted(path), max_bytes);
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // Checked before opening, because opening a device can have effects, and after: the path may have been replaced.
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) TRY(check_readable(path, info));
  TRY_ASSIGN(const auto fd, open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "cannot read " + quoted(path));
  TRY(check_readable(path, info));
  return read_open_file(fd.get(), path, max_bytes);
}

Result<> write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                               unsigned mode) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))) {
    // A rename would leave the machine without its /dev/null.
    return fail(Code::permission,
                quoted(path) + " is a device; ralph does not replace it with a file",
                "use another path");
  }
  const auto temp =
      folder_of(path) / fmt::format(".{}.{}.tmp", path.filename().native(), random_hex(8));
  if (auto done = fill_and_rename(temp, path, bytes, mode); !done) {
    ::unlink(temp.c_str());
    return done;
  }
  return sync_folder(folder_of(path));
}

Result<> make_folders(const std::filesystem::path& path, unsigned mode) {
  std::filesystem::path so_far;
  for (const auto& part : path) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), 0700) == 0) {
      if (::chmod(so_far.c_str(), static_cast<mode_t>(mode)) == 0) continue;
      return fail_errno(errno, "cannot set the mode of " + quoted(so_far));
    }
    if (errno == EEXIST) continue;
    const int error_number = errno;
    std::error_code ignored;
    if (std::filesystem::is_directory(so_far, ignored)) continue;
    return fail_errno(error_number, "cannot create directory " + quoted(so_far));
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    return fail(Code::storage, quoted(path) + " exists but is not a directory");
  }
  return {};
}

int try_write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Result<> write_all(int fd, std::string_view bytes, std::string_view name) {
  const int error_number = try_write_all(fd, bytes);
  if (error_number == 0) return {};
  return fail_errno(error_number, fmt::format("cannot write to '{}'", name));
}

}  // namespace ralph

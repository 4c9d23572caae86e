#include "store/private_files.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::store {
namespace {

struct Remedy {
  int error_number;
  std::string_view hint;
};
constexpr Remedy kRemedies[] = {
    {EACCES, "make it writable for this user, or work in another folder"},
    {EPERM, "it belongs to another user: run as that user, or work in another folder"},
    {EROFS, "the file system is read-only: work in a folder that can be written"},
    {ENOSPC, "the disk is full: free some space"},
    {EDQUOT, "the quota is used up: free some space"},
    {EEXIST, "move what is there away"},
    {ENOENT, "create the folder it belongs in"},
    {ELOOP, "a symbolic link is in the way: remove it"},
    {EISDIR, "a folder is in the way: remove it"},
    {EFBIG, "the file may not grow further: see ulimit -f"},
};

std::string remedy_of(int error_number) {
  for (const auto& remedy : kRemedies) {
    if (remedy.error_number == error_number) return std::string(remedy.hint);
  }
  return {};
}

Result<> check_is_folder(const std::filesystem::path& path, mode_t mode) {
  if (S_ISLNK(mode)) {
    return fail(Code::storage, fmt::format("'{}' is a symbolic link", path.native()),
                "ralph needs a folder of its own there: remove the link");
  }
  if (!S_ISDIR(mode)) {
    return fail(Code::storage, fmt::format("'{}' is not a folder", path.native()),
                "ralph needs a folder there: move the file away");
  }
  return {};
}

}  // namespace

std::unexpected<Error> fail_storage(int error_number, std::string what) {
  return fail(Code::storage, fmt::format("{}: {}", what, std::strerror(error_number)),
              remedy_of(error_number));
}

Result<> make_private_folder(const std::filesystem::path& path) {
  const bool made = ::mkdir(path.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) {
    return fail_storage(errno, fmt::format("cannot create the folder '{}'", path.native()));
  }
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    return fail_storage(errno, fmt::format("cannot look at '{}'", path.native()));
  }
  TRY(check_is_folder(path, info.st_mode));
  const mode_t wanted = made ? 0700 : info.st_mode & 0700;
  if ((info.st_mode & 0777) != wanted && ::chmod(path.c_str(), wanted) != 0) {
    return fail_storage(errno, fmt::format("cannot make the folder '{}' private", path.native()));
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return fail_storage(errno, fmt::format("cannot write into the folder '{}'", path.native()));
  }
  return {};
}

Result<UniqueFd> create_private_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!fd || ::fchmod(fd.get(), 0600) != 0) {
    return fail_storage(errno, fmt::format("cannot create '{}'", path.native()));
  }
  return fd;
}

}  // namespace ralph::store

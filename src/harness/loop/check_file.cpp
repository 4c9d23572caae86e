#include "harness/loop/check_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/sha256.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestCheck = std::size_t{16} << 20;
constexpr std::size_t kMostRalphFiles = 1000;

Result<UniqueFd> open_ralph_folder(const fs::path& workspace) {
  const auto path = workspace / kRalphFolder;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail_errno(errno, fmt::format("cannot open the directory '{}'", path.native()));
  return fd;
}

}  // namespace

Result<std::optional<std::string>> read_check(const fs::path& workspace) {
  struct stat info{};
  const auto path = workspace / kRalphFolder / kCheck;
  if (::lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  TRY_ASSIGN(const auto folder, open_ralph_folder(workspace));
  const UniqueFd fd(::openat(folder.get(), kCheck, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ELOOP) {
    return fail(Code::config, fmt::format("'{}' is a symbolic link", path.native()),
                "replace it with the check itself");
  }
  if (!fd) return fail_errno(errno, fmt::format("cannot open '{}'", path.native()));
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(Code::config, fmt::format("'{}' is not a regular file", path.native()));
  }
  if ((info.st_mode & S_IXUSR) == 0) {
    return fail(Code::config, fmt::format("'{}' cannot be executed", path.native()),
                fmt::format("chmod +x '{}', or remove it", path.native()));
  }
  TRY_ASSIGN(auto bytes, read_fd(fd.get(), path.native(), kLargestCheck));
  return bytes;
}

CheckCopy::~CheckCopy() {
  if (folder_) ::unlinkat(folder_.get(), kCheckCopy, 0);
}

Result<> CheckCopy::make(const fs::path& workspace, std::string_view bytes) {
  TRY_ASSIGN(folder_, open_ralph_folder(workspace));
  ::unlinkat(folder_.get(), kCheckCopy, 0);  // of a ralph that was killed
  const UniqueFd fd(::openat(folder_.get(), kCheckCopy,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
  const auto name = (workspace / kRalphFolder / kCheckCopy).native();
  if (!fd || ::fchmod(fd.get(), 0700) != 0) {
    return fail_errno(errno, fmt::format("cannot create '{}'", name));
  }
  return write_all(fd.get(), bytes, name);
}

std::set<std::string> named_in(const std::vector<std::string>& commands) {
  constexpr std::string_view kPrefix = ".ralph/";
  constexpr std::string_view kNameBytes =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::set<std::string> names;
  for (const auto& command : commands) {
    for (auto at = command.find(kPrefix); at != command.npos; at = command.find(kPrefix, at)) {
      at += kPrefix.size();
      const auto end = std::min(command.find_first_not_of(kNameBytes, at), command.size());
      names.insert(command.substr(at, end - at));
    }
  }
  for (const auto own : {"", ".", "..", "lock", kCheck, kCheckCopy}) names.erase(own);
  return names;
}

Result<std::string> digest_of_named(const fs::path& workspace, const std::string& name) {
  struct stat info{};
  const auto path = workspace / kRalphFolder / name;
  if (::lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  TRY_ASSIGN(const auto folder, open_ralph_folder(workspace));
  const UniqueFd fd(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ELOOP) {
    return fail(Code::config, fmt::format("'{}' is a symbolic link", path.native()),
                "verification uses it: replace it with the file itself");
  }
  if (!fd) return fail_errno(errno, fmt::format("cannot open '{}'", path.native()));
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  TRY_ASSIGN(const auto bytes, read_fd(fd.get(), path.native(), kLargestCheck));
  return sha256_hex(bytes);
}

std::map<std::string, std::string> ralph_folder_digests(const fs::path& workspace) {
  constexpr std::string_view kOwn[] = {"lock", "logs",     "runs",       "state",
                                       "tmp",  kCheckCopy, ".gitignore", kCheck};
  std::map<std::string, std::string> digests;
  const auto root = workspace / kRalphFolder;
  std::error_code error;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    const auto name = at->path().lexically_relative(root).native();
    if (at.depth() == 0 && std::ranges::find(kOwn, name) != std::end(kOwn)) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;
    const auto type = at->symlink_status(ignored).type();
    if (type == fs::file_type::directory) continue;
    if (digests.size() >= kMostRalphFiles) break;
    digests[name] = type == fs::file_type::symlink
                        ? "link " + fs::read_symlink(at->path(), ignored).native()
                    : type == fs::file_type::regular
                        ? sha256_hex(read_file(at->path(), kLargestCheck).value_or("unreadable"))
                        : "special";
  }
  return digests;
}

}  // namespace ralph::loop

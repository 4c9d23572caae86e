#include "agent/tool/path_walk.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<> require_absolute(const fs::path& resolved) {
  if (resolved.is_absolute() && resolved.native().find('\0') == std::string::npos) return {};
  return fail(Code::usage, fmt::format("'{}' is not a valid absolute path", resolved.string()));
}

/// In one system call. On failure the walk by component finds the reason.
UniqueFd try_openat2(int root, const fs::path& relative) {
  open_how how{};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how)));
}

/// Opens a directory in `folder` and closes `folder`.
Result<UniqueFd> step_into(UniqueFd folder, const std::string& name, const fs::path& whole,
                           Missing missing) {
  UniqueFd next(::openat(folder.get(), name.c_str(), kFolderFlags));
  if (!next && errno == ENOENT && missing != Missing::is_an_error) {
    const mode_t mode = missing == Missing::is_made_private ? 0700 : 0777;
    if (::mkdirat(folder.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
      return fail_errno(errno, fmt::format("cannot create directory '{}'", whole.string()));
    }
    next.reset(::openat(folder.get(), name.c_str(), kFolderFlags));
  }
  if (next) return next;
  const int why = errno;
  const auto info = look(folder.get(), name);
  if (info && S_ISLNK(info->st_mode)) return refused_link(whole);
  return fail_errno(why, fmt::format("cannot open directory '{}'", whole.string()));
}

}  // namespace

std::unexpected<Error> refused_link(const fs::path& path) {
  return fail(Code::permission,
              fmt::format("'{}' leads through a symbolic link that is dangling, or that appeared "
                          "after the path was checked",
                          path.string()),
              "use the path of the real file");
}

std::optional<struct stat> look(int folder, const std::string& name) {
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info;
}

Result<UniqueFd> open_folder_path(const fs::path& resolved, Missing missing) {
  TRY(require_absolute(resolved));
  UniqueFd folder(::open("/", kFolderFlags));
  if (!folder) return fail_errno(errno, "cannot open '/'");
  const auto relative = resolved.relative_path();
  if (relative.empty()) return folder;
  if (auto found = try_openat2(folder.get(), relative)) return found;
  for (const auto& part : relative) {
    if (part.empty()) continue;  // after a trailing slash
    TRY_ASSIGN(folder, step_into(std::move(folder), part.string(), resolved, missing));
  }
  return folder;
}

Result<UniqueFd> open_parent(const fs::path& resolved, Missing missing) {
  TRY(require_absolute(resolved));
  return open_folder_path(resolved.parent_path(), missing);
}

}  // namespace ralph::tool

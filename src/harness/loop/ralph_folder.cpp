#include "harness/loop/ralph_folder.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/path.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

/// What is there and is not a directory gets another name beside it, which is returned; empty: nothing is in the way.
Result<fs::path> put_aside(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return fs::path();
  const fs::path aside = fmt::format("{}.replaced-{}", path.native(), compact_utc(now_utc()));
  if (::rename(path.c_str(), aside.c_str()) == 0) return aside;
  return fail_errno(errno,
                    fmt::format("'{}' is not a directory and cannot be renamed", path.native()),
                    "move it away");
}

}  // namespace

Result<RalphFolder> RalphFolder::open(const fs::path& root, std::string loop_id) {
  TRY_ASSIGN(auto workspace, store::Workspace::open(root));
  TRY_ASSIGN(auto lock, store::Lock::take(workspace.lock_file(), store::LockUser::loop, loop_id));
  return RalphFolder(root, std::move(loop_id), std::move(workspace), std::move(lock));
}

bool RalphFolder::is_same() const {
  struct stat held{}, named{};
  if (!folder_) return true;
  return ::fstat(folder_.get(), &held) == 0 && ::lstat(workspace_.root().c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

Result<bool> RalphFolder::repair(const store::LoopStateFiles& files,
                                 const std::vector<store::LoopRecord>& records,
                                 LoopReporter& reporter) {
  const auto root = workspace_.root();
  bool repaired = !is_same() || !path_exists(files.folder());
  TRY_ASSIGN(const auto replaced, put_aside(root));
  TRY_ASSIGN(const auto state_replaced, put_aside(files.folder()));
  TRY_ASSIGN(workspace_, store::Workspace::open(root_));
  if (repaired || !folder_) {
    folder_.reset(::open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  // The file was removed, and with it the lock that others see.
  if (!store::Lock::holder(workspace_.lock_file())) {
    TRY_ASSIGN(auto lock,
               store::Lock::take(workspace_.lock_file(), store::LockUser::loop, loop_id_));
    lock_.emplace(std::move(lock));
    repaired = true;
  }
  const bool lost = !records.empty() && !files.has_records();
  if (lost) TRY(files.rewrite(records));
  // In there git does not look at it.
  if (!replaced.empty()) ::rename(replaced.c_str(), (root / replaced.filename()).c_str());
  repaired = repaired || !replaced.empty() || !state_replaced.empty() || lost;
  if (repaired) {
    reporter.warn(
        fmt::format("'{}', or a part of it, was removed or replaced while the agent worked; state "
                    "and records were written again, logs may be gone",
                    root.native()));
  }
  return repaired;
}

}  // namespace ralph::loop

// The folder `.ralph`, when an agent removed it or put something else there.
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/loop_impl.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

/// What is there and is no folder gets another name beside it, which is returned; empty: nothing is in the way.
Result<fs::path> put_aside(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return fs::path();
  const fs::path aside = fmt::format("{}.replaced-{}", path.native(), compact_utc(now_utc()));
  if (::rename(path.c_str(), aside.c_str()) == 0) return aside;
  return fail_errno(errno, fmt::format("'{}' is not a folder, and cannot be renamed", path.native()),
                    "move it away");
}

}  // namespace

/// Held open: its inode number is not given to another folder.
bool Loop::is_same_folder() {
  struct stat held{}, named{};
  if (!folder_) return true;
  return ::fstat(folder_.get(), &held) == 0 &&
         ::lstat(workspace_->root().c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

/// All that the loop needs of it is in memory: state, records and limits. Logs of earlier runs are not.
Result<bool> Loop::mend_workspace() {
  const auto root = workspace_->root();
  bool mended = !is_same_folder() || !is_there(files_.folder());
  TRY_ASSIGN(const auto replaced, put_aside(root));
  TRY_ASSIGN(const auto state_replaced, put_aside(files_.folder()));
  TRY_ASSIGN(workspace_, store::Workspace::open(setup_.request.host.workspace));
  if (mended || !folder_) {
    folder_.reset(::open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  // The file was removed, and with it the lock that others see.
  if (lock_ && !store::Lock::holder(workspace_->lock_file())) {
    TRY_ASSIGN(auto lock, store::Lock::take(workspace_->lock_file(), "ralph loop"));
    lock_.emplace(std::move(lock));
    mended = true;
  }
  const bool lost = !records_.empty() && !files_.has_records();
  if (lost) TRY(files_.rewrite(records_));
  // In there git does not look at it.
  if (!replaced.empty()) ::rename(replaced.c_str(), (root / replaced.filename()).c_str());
  mended = mended || !replaced.empty() || !state_replaced.empty() || lost;
  if (mended) {
    note(stream::Level::warning,
         fmt::format("'{}', or a part of it, was removed or replaced while the agent worked; state "
                     "and records were written again, logs may be gone",
                     root.native()));
  }
  return mended;
}

}  // namespace ralph::loop

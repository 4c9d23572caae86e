// The folder `.ralph`, when an agent removed it or put something else there.
#include <cerrno>

#include <fmt/core.h>
#include <sys/stat.h>

#include "loop/loop_impl.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

/// What is there and is no folder gets another name beside it. True: there was something.
Result<bool> put_aside(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return false;
  const fs::path aside = fmt::format("{}.replaced-{}", path.native(), compact_utc(now_utc()));
  if (::rename(path.c_str(), aside.c_str()) == 0) return true;
  return fail_errno(errno, fmt::format("'{}' is not a folder, and cannot be renamed", path.native()),
                    "move it away");
}

}  // namespace

/// All that the loop needs of it is in memory: state, records and limits. Logs of earlier runs are not.
Result<bool> Loop::mend_workspace() {
  const auto root = workspace_->root();
  const bool gone = !is_there(root) || !is_there(files_.folder());
  TRY_ASSIGN(const bool replaced, put_aside(root));
  TRY_ASSIGN(const bool state_replaced, put_aside(files_.folder()));
  TRY_ASSIGN(workspace_, store::Workspace::open(setup_.request.host.workspace));
  // The file was removed, and with it the lock that others see.
  if (lock_ && !store::Lock::holder(workspace_->lock_file())) {
    TRY_ASSIGN(auto lock, store::Lock::take(workspace_->lock_file(), "ralph loop"));
    lock_.emplace(std::move(lock));
  }
  const bool lost = !records_.empty() && !files_.has_records();
  if (lost) TRY(files_.rewrite(records_));
  const bool mended = gone || replaced || state_replaced || lost;
  if (mended) {
    note(stream::Level::warning,
         fmt::format("'{}' was removed or replaced while the agent worked; its state was written "
                     "again, logs of earlier runs are gone",
                     root.native()));
  }
  return mended;
}

}  // namespace ralph::loop

// What an agent removed: the folder `.ralph`, or refs.
#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/names.h"
#include "harness/loop/loop_impl.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

/// What is there and is not a folder gets another name beside it, which is returned; empty: nothing is in the way.
Result<fs::path> put_aside(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return fs::path();
  const fs::path aside = fmt::format("{}.replaced-{}", path.native(), compact_utc(now_utc()));
  if (::rename(path.c_str(), aside.c_str()) == 0) return aside;
  return fail_errno(errno,
                    fmt::format("'{}' is not a folder, and cannot be renamed", path.native()),
                    "move it away");
}

/// The command that brings a ref back. `git branch --force` would refuse the branch that is checked out.
std::string way_back(const git::Work& work, const std::string& ref, const std::string& id) {
  if (ref == "HEAD") return fmt::format("git branch detached-{} {}", id.substr(0, 12), id);
  if (ref.starts_with("refs/heads/") || ref.starts_with("refs/tags/")) {
    return fmt::format("git update-ref {} {}", shell_word(ref), id);
  }
  return fmt::format("git stash store --message {} {}", shell_word(work.subject(id).value_or(ref)),
                     id);
}

}  // namespace

/// Held open: its inode number is not given to another folder.
bool Loop::is_same_folder() {
  struct stat held{}, named{};
  if (!folder_) return true;
  return ::fstat(folder_.get(), &held) == 0 && ::lstat(workspace_->root().c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/// All that the loop needs of it is in memory: state, records and limits. Logs of earlier runs are not.
Result<bool> Loop::mend_workspace() {
  const auto root = workspace_->root();
  bool mended = !is_same_folder() || !is_there(files_.folder());
  TRY_ASSIGN(const auto replaced, put_aside(root));
  TRY_ASSIGN(const auto state_replaced, put_aside(files_.folder()));
  TRY_ASSIGN(workspace_, store::Workspace::open(setup_.request.host.root()));
  if (mended || !folder_) {
    folder_.reset(::open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  // The file was removed, and with it the lock that others see.
  if (lock_ && !store::Lock::holder(workspace_->lock_file())) {
    TRY_ASSIGN(auto lock, store::Lock::take(workspace_->lock_file(), store::Lock::kLoop, state_.loop_id));
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

std::string start_ref(std::string_view loop_id) { return fmt::format("start-{}", loop_id); }

/// A loop can work without.
void Loop::keep_refs() {
  if (!git_) return;
  if (auto kept = git_->keep_refs(start_ref(state_.loop_id)); !kept) {
    setup_.warnings.push_back(
        fmt::format("not all branches, tags and stashes are protected from the agent: {}",
                    describe(kept.error())));
  }
}

void Loop::report_lost_refs() {
  constexpr std::size_t kMostNamed = 10;
  if (!git_) return;
  const auto lost = git_->lost_refs(start_ref(state_.loop_id));
  if (lost && lost->empty()) {
    if (auto dropped = git_->drop_kept_refs(start_ref(state_.loop_id)); !dropped) {
      note(stream::Level::warning, describe(dropped.error()));
    }
  }
  if (!lost) {
    note(stream::Level::warning,
         fmt::format("whether branches, tags or stashes were deleted cannot be said: {}",
                     describe(lost.error())));
    return;
  }
  for (std::size_t i = 0; i < std::min(lost->size(), kMostNamed); ++i) {
    const auto& [ref, id] = (*lost)[i];
    note(stream::Level::warning,
         fmt::format("{} was deleted or moved during the loop, and no other ref leads to what it "
                     "was; to get it back: {}",
                     ref, way_back(*git_, ref, id)));
  }
  if (lost->size() > kMostNamed) {
    note(stream::Level::warning,
         fmt::format("deleted or moved as well: {}; 'git log -1 refs/ralph/{}' names all that "
                     "there were",
                     counted(std::ssize(*lost) - std::int64_t{kMostNamed}, "ref"),
                     start_ref(state_.loop_id)));
  }
}

}  // namespace ralph::loop

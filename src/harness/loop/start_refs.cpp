#include "harness/loop/start_refs.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/names.h"
#include "system/git/history.h"
#include "system/git/kept_refs.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kMostNamedRefs = 10;

/// Below refs/ralph/.
std::string start_ref(std::string_view loop_id) { return fmt::format("start-{}", loop_id); }

/// The command that brings a ref back. `git branch --force` would refuse the branch that is checked out.
std::string restore_command(const git::Worktree& git, const std::string& ref,
                            const std::string& id) {
  if (ref == "HEAD") return fmt::format("git branch detached-{} {}", id.substr(0, 12), id);
  if (ref.starts_with("refs/heads/") || ref.starts_with("refs/tags/")) {
    return fmt::format("git update-ref {} {}", shell_word(ref), id);
  }
  return fmt::format("git stash store --message {} {}",
                     shell_word(git::subject(git.program(), id).value_or(ref)), id);
}

}  // namespace

void keep_start_refs(const git::Worktree& git, std::string_view loop_id, LoopReporter& reporter) {
  if (auto kept = git::keep_refs(git, start_ref(loop_id)); !kept) {
    reporter.warn_at_start(
        fmt::format("not all branches, tags and stashes are protected from the agent: {}",
                    describe(kept.error())));
  }
}

void report_lost_refs(const git::Worktree& git, std::string_view loop_id, LoopReporter& reporter) {
  const auto kept_as = start_ref(loop_id);
  const auto lost = git::lost_refs(git, kept_as);
  if (!lost) {
    return reporter.warn(fmt::format("cannot check for deleted branches, tags or stashes: {}",
                                     describe(lost.error())));
  }
  if (lost->empty()) {
    auto dropped = git::drop_kept_refs(git, kept_as);
    if (!dropped) reporter.warn(describe(dropped.error()));
    return;
  }
  for (std::size_t i = 0; i < std::min(lost->size(), kMostNamedRefs); ++i) {
    const auto& [ref, id] = (*lost)[i];
    reporter.warn(
        fmt::format("{} was deleted or moved during the loop, and no other ref has its "
                    "commit; to restore it: {}",
                    ref, restore_command(git, ref, id)));
  }
  if (lost->size() <= kMostNamedRefs) return;
  reporter.warn(fmt::format(
      "also deleted or moved: {}; 'git log -1 refs/ralph/{}' lists all refs of the start",
      counted(std::ssize(*lost) - std::int64_t{kMostNamedRefs}, "ref"), kept_as));
}

}  // namespace ralph::loop

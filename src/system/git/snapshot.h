#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/git/index.h"
#include "system/git/left_alone.h"
#include "system/git/program.h"

namespace ralph::git {

/// Paths of the index that git ignores on request of the user. A reset would overwrite their files all the same.
struct HiddenFlags {
  std::vector<std::string> assume_unchanged, skip_worktree;
  bool empty() const { return assume_unchanged.empty() && skip_worktree.empty(); }
};

/// What a directory and its index hold at one moment, as trees in the object database. Nothing refers to them yet.
struct Snapshot {
  PrivateIndex index;        // names what the directory holds
  std::string tree;          // of the directory, with the changes that flags hide
  std::string visible_tree;  // without those
  std::string staged_tree;   // of the user's index; conflicts are below kConflicts, by stage
  bool conflicts = false;
  HiddenFlags flags;
  std::vector<std::string> pinned;  // paths whose files must stay as they are
};
inline constexpr std::string_view kConflicts = "ralph-conflicts";

Result<Snapshot> take_snapshot(const Program& git, KnownFiles& known, const LeftAlone& left);

/// Sets them again, where the user's index still has the path.
Result<> set_flags(const Program& git, const HiddenFlags& flags);

/// Files of ralph's own in a directory `.ralph`, which no commit may bring back or take away: state, logs and the like.
bool is_state_of_ours(std::string_view path);

/// How a directory becomes a tree.
struct Move {
  std::string from, to;               // trees; what is in neither stays as it is
  std::vector<std::string> replaced;  // ignored or untracked files where `to` has something else
};
/// Looks, and changes only the snapshot's own index and tree: the files that will be replaced become part of both.
/// Code::busy: a repository inside of this one, or something that is not a regular file, is where `tree` has something else.
Result<Move> plan_move(const Program& git, Snapshot& snapshot, const LeftAlone& left,
                       const std::string& tree);
/// Changes files only, and none when one of them was changed since the snapshot. Never writes through a link.
Result<> run_move(const Program& git, const Snapshot& snapshot, const Move& move);

}  // namespace ralph::git

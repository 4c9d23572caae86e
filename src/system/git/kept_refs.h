#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/worktree.h"

namespace ralph::git {

/// A ref ("HEAD" for a detached one, "stash@{0}"), and its value.
struct RefValue {
  std::string ref, commit;  // commit: or the id of an annotated tag
  bool operator==(const RefValue&) const = default;
};

/// Records all branches, tags, stashes and a detached HEAD in a commit under refs/ralph/`keep_as`, and each annotated tag
/// under refs/ralph/tags-`keep_as`/, because an agent may delete them. Does nothing if that ref exists. Code::limit: there
/// are too many; only the newest are kept.
Result<> keep_refs(const Worktree& worktree, std::string_view keep_as);
/// Deletes those refs; call it when lost_refs() returns none.
Result<> drop_kept_refs(const Worktree& worktree, std::string_view kept_as);
/// Those of them whose commits or annotated tags only that ref still reaches; empty without such a ref.
Result<std::vector<RefValue>> lost_refs(const Worktree& worktree, std::string_view kept_as);

}  // namespace ralph::git

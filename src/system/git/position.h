#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/fields.h"
#include "system/git/program.h"

namespace ralph::git {

/// The state of HEAD and of an unfinished merge.
struct Position {
  std::string head;    // the commit; empty: none yet
  std::string branch;  // in full; empty: detached
  std::vector<std::string>
      merged;  // commits of a merge, cherry-pick or revert that is not finished
};
Result<Position> read_position(const Program& git);

/// What HEAD is on, in full; empty: detached.
Result<std::string> read_branch(const Program& git);
/// The commit a name stands for; empty: none.
Result<std::string> read_commit(const Program& git, const std::string& name);

/// Whether the operation ends a merge, as a reset does.
enum class Reset { no, yes };
/// Code::busy: a merge, a rebase or the like is not finished.
Result<> refuse_unfinished(const Program& git, Reset reset);
/// Code::busy: paths are in conflict.
Result<> refuse_unmerged(std::vector<Entry> entries);
/// Code::busy: another git process locks the index or HEAD, or one crashed. A lock is never removed.
Result<> refuse_locked(const Program& git);
/// A branch that HEAD should be on, and is not yet. Code::permission: it leads to another one, which would be moved.
/// Code::busy: it is checked out in another worktree.
Result<> refuse_unsafe_branch(const Program& git, const std::string& branch);

/// "'main'" of "refs/heads/main"; "no branch" of "".
std::string short_name(std::string_view branch);
/// Well-formed UTF-8 without NUL bytes: git refuses those.
std::string message_text(std::string_view message);

}  // namespace ralph::git

#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::git {

/// One file of a difference.
struct FileChange {
  char kind = 'M';  // A, M, D, T
  std::string path;
  std::int64_t added = 0, removed = 0;  // lines; -1: not text
  bool operator==(const FileChange&) const = default;
};

// Commits are given by their full ids; lists are sorted newest first.

/// The commit of a full ref name; empty: no such ref.
Result<std::string> commit_of(const Program& git, const std::string& ref);
/// The first parent of a commit; empty: it has none.
Result<std::string> parent(const Program& git, std::string_view commit);
/// The commits of HEAD that `commit` does not have. Code::usage: `commit` is not an ancestor of HEAD.
Result<std::vector<std::string>> commits_since(const Program& git, std::string_view commit);
/// The commits of `to` that `from` does not have.
Result<std::vector<std::string>> commits_between(const Program& git, std::string_view from,
                                                 std::string_view to);
/// A commit and all its ancestors.
Result<std::vector<std::string>> commits_to(const Program& git, std::string_view commit);
/// The first line of a commit's message.
Result<std::string> subject(const Program& git, std::string_view commit);
/// Between two trees or commits; a rename is an A and a D.
Result<std::vector<FileChange>> changes(const Program& git, std::string_view from,
                                        std::string_view to);
/// A readable diff without colour; a very long one is cut.
Result<std::string> diff(const Program& git, std::string_view from, std::string_view to);

}  // namespace ralph::git

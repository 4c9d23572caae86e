#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/history.h"

namespace ralph::git {

/// Cuts what git prints with -z: every field ends with a NUL byte.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  /// Empty: there is none left.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// One path of `git status --porcelain -z --no-renames`.
struct Entry {
  char staged = ' ', unstaged = ' ';
  std::string path;

  bool unmerged() const;
  /// The directory differs from the index.
  bool to_take() const { return unmerged() || unstaged != ' '; }
  bool removed() const { return !unmerged() && unstaged == 'D'; }
  /// In a directory `.ralph`, wherever that is.
  bool ours() const;
  bool operator==(const Entry&) const = default;
};

/// Repositories inside of this one are left out.
Result<std::vector<Entry>> parse_status(std::string_view text);

/// Reads `git diff-tree -r -z --raw --numstat --no-renames`.
Result<std::vector<FileChange>> parse_changes(std::string_view text);

}  // namespace ralph::git

#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::git {

/// What a repository's own settings were at one moment. They can name programs that git starts, and an agent can write
/// them; what only says who commits, or where a branch or a remote belongs, may change.
class Settings {
 public:
  /// `common` is the directory that holds "config": the git directory, but for linked worktrees.
  static Result<Settings> read(const Program& git, const std::filesystem::path& common);

  /// Code::permission when something else changed; the message names the file and, where it can, the setting.
  Result<> check(const Program& git) const;
  /// The git directory, and that of "config" where it is another one.
  const std::vector<std::filesystem::path>& git_folders() const { return git_folders_; }
  /// Of all that check() compares: the same for settings that it would find unchanged.
  std::string digest() const;

 private:
  struct File {
    std::filesystem::path path;
    std::string digest;  // empty: there is none
    bool operator==(const File&) const = default;
  };
  struct Value {
    std::string file, key, value;
    bool operator==(const Value&) const = default;
  };
  static Result<std::vector<Value>> values(const Program& git);
  Result<> compare(const std::vector<Value>& now) const;

  std::vector<std::filesystem::path> git_folders_;
  std::vector<File> fixed_;    // lead to other settings: no byte of them may change
  std::vector<File> configs_;  // unchanged: the values are as well
  std::vector<Value> values_;  // those that matter
  bool includes_ = false;      // other files are included
};

}  // namespace ralph::git

#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "bench/grade/graded_files.h"
#include "core/base/result.h"
#include "harness/run/file_watch.h"
#include "system/git/program.h"

namespace ralph::grade {

/// Detects that a command changed protected files of its clone, also if it restored them afterwards.
class RewriteCheck {
 public:
  /// Before the command. `git`: pinned to a git directory of ours. Code::unavailable: the system has no watches left.
  static Result<RewriteCheck> begin(const git::Program& git, std::filesystem::path root,
                                    Entries files);
  /// Files that a mount can keep read-only while the command runs: absolute paths, not more than bubblewrap mounts quickly.
  std::vector<std::filesystem::path> mountable() const;
  /// After the command and everything it started: relative paths, sorted.
  Result<std::vector<std::string>> rewritten();

 private:
  RewriteCheck(git::Program git, std::filesystem::path root, Entries files, run::FileWatch watch)
      : git_(std::move(git)),
        root_(std::move(root)),
        files_(std::move(files)),
        watch_(std::move(watch)) {}
  Result<std::vector<std::string>> with_other_blobs(const std::vector<std::string>& paths) const;

  git::Program git_;
  std::filesystem::path root_;
  Entries files_;
  run::FileWatch watch_;
};

}  // namespace ralph::grade

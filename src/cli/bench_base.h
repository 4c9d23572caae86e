#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/grade/grader.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/test_case.h"
#include "bench/trial/workspace.h"
#include "cli/bench.h"

namespace ralph::cli {

/// A directory, whatever its path names later.
struct FolderIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FolderIdentity&) const = default;

  /// An error: the path is not a directory, or is a link.
  static Result<FolderIdentity> of(const std::filesystem::path& folder);
};

/// What graders compare the agent's work with, and what they run code with; recorded before the agent runs.
class BenchBase {
 public:
  static Result<BenchBase> record(const trial::TestCase& test_case, const git::Program& git,
                                  const trial::Layout& layout, std::string commit);

  /// After the agent. Code::permission: the record was changed, or the agent's directory is another one.
  Result<grade::Comparison> compare();
  /// The same for what compare() recorded.
  Result<> check() const;
  /// The tree of the directory now; check() is for this one then.
  Result<std::string> retake();
  const grade::Confinement& confinement() const { return confinement_; }
  /// Patterns of `protect` that match no file.
  const std::vector<std::string>& unmatched() const { return unmatched_; }
  /// Commits that graders name and the repository does not have.
  const std::vector<trial::Problem>& missing_commits() const { return missing_commits_; }

 private:
  BenchBase(trial::SnapshotStore snapshots, std::string commit)
      : snapshots_(std::move(snapshots)), commit_(std::move(commit)) {}
  Result<std::vector<std::string>> paths() const;
  Result<> take_named_commits(const trial::TestCase& test_case, const git::Program& git);

  trial::SnapshotStore snapshots_;
  FolderIdentity folder_;
  std::string commit_, tree_, ignored_tree_;
  std::map<std::string, std::string> named_trees_;
  grade::Confinement confinement_;
  std::vector<std::string> unmatched_;
  std::vector<trial::Problem> missing_commits_;
};

}  // namespace ralph::cli

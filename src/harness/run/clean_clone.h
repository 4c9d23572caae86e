#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "harness/run/sandbox.h"
#include "system/git/program.h"
#include "system/process/command.h"

namespace ralph::run {

/// A repository of its own in a temporary directory that holds a commit as HEAD and a tree as its files: nothing in it
/// comes from the agent's `.git`, from ignored files or from another process. Removed with this object, or by the next one
/// that is made after its process was killed.
class CleanClone {
 public:
  struct Source {
    /// Started anew for the clone; found before the agent ran, so that no program of the agent's is it.
    const git::Program& git;
    std::vector<std::filesystem::path> objects;  // directories with git's objects
    std::filesystem::path workspace;             // the clone does not lie in it
    std::string commit;                          // HEAD; empty: none
    std::string base_tree = {};                  // without a commit: one is made of this
    std::string tree;                            // its files
    std::string entries = {};  // instead of the tree: what `update-index --index-info -z` reads
    /// Files have the bytes of their blobs: no attribute and no setting of the user has a say.
    bool raw = false;
  };
  static Result<CleanClone> make(const Source& source);
  CleanClone(CleanClone&& other) noexcept;
  CleanClone& operator=(CleanClone&&) = delete;
  ~CleanClone();

  const std::filesystem::path& root() const { return root_; }

  /// What a command there gets: a HOME and TMPDIR of its own, the system's PATH, of ralph's environment only the
  /// language, and what `own` sets.
  std::vector<process::EnvChange> environment(const std::vector<process::EnvChange>& own) const;
  /// With `bwrap` (its path): no network, own processes, everything but the clone read-only; the home directory,
  /// temporary directories, sockets in /run and `hidden` are not there; files of the clone that are `read_only` cannot be
  /// written. No process can trace another or write its memory, so leak detection of sanitizers is off. Commands start in `folder` of the clone.
  Wrap confinement(const std::string& bwrap, const std::vector<std::filesystem::path>& hidden,
                   const std::filesystem::path& folder,
                   const std::vector<std::filesystem::path>& read_only = {}) const;

 private:
  CleanClone(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), root_(folder_ / "repository"), lock_(std::move(lock)) {}
  Result<> fill(const Source& source);

  std::filesystem::path folder_;  // holds "repository", "home" and "tmp"
  std::filesystem::path root_;
  UniqueFd lock_;  // of the directory: the next clone removes those of processes that were killed
};

/// The path of a bubblewrap that works here. An error says why none does.
Result<std::string> find_bubblewrap();

}  // namespace ralph::run

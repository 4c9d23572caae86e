#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "system/git/fields.h"
#include "system/git/known_files.h"
#include "system/git/program.h"

namespace ralph::git {

/// An index of our own, in the git directory: git compares its time with those of files, and only there both come from the
/// same clock. Removed with this object; one that a killed ralph left is removed by the next.
class PrivateIndex {
 public:
  /// The paths, ids and flags of the user's index, and nothing else of it: stat data and cached trees, which git would
  /// believe, could be an agent's. Git reads every file that is not known.
  static Result<PrivateIndex> rebuild(const Program& git, KnownFiles& known);
  /// Without a file: git takes it for empty.
  static Result<PrivateIndex> empty(const std::filesystem::path& git_folder);
  PrivateIndex(PrivateIndex&& other) noexcept
      : folder_(std::move(other.folder_)), lock_(std::move(other.lock_)) {
    other.folder_.clear();
  }
  PrivateIndex& operator=(PrivateIndex&&) = delete;
  ~PrivateIndex();

  std::filesystem::path path() const { return folder_ / "index"; }

 private:
  PrivateIndex(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::filesystem::path folder_;
  UniqueFd lock_;  // held while the directory is in use
};

/// Every path that differs between HEAD, an index (empty: the user's) and the directory, those of `.ralph` among them. No
/// submodule is entered: git would follow that one's settings.
Result<std::vector<Entry>> list_entries(const Program& git,
                                        const std::filesystem::path& index = {});

/// Brings an index (empty: the user's) to what the directory holds. `git add -A` would do it in one call, but starts
/// another git in every submodule.
Result<> take_in(const Program& git, const std::vector<Entry>& entries,
                 const std::filesystem::path& index);

/// The user's index has no stat data of these paths any more: take_in() reads their files, whatever an agent wrote there.
Result<> forget_stat_data(const Program& git, const std::vector<Entry>& entries);

/// The tree of an index.
Result<std::string> write_tree(const Program& git, const std::filesystem::path& index);
/// Paths leave an index; one that is not there is no error.
Result<> remove_paths(const Program& git, const std::vector<std::string>& paths,
                      const std::filesystem::path& index);
/// The tree without these paths.
Result<std::string> tree_without(const Program& git, const std::string& tree,
                                 const std::vector<std::string>& paths);
/// The tree with what the directory holds at these paths.
Result<std::string> tree_with(const Program& git, const std::string& tree,
                              const std::vector<std::string>& paths);

/// As `--stdin -z` reads them.
std::string zero_separated(const std::vector<std::string>& paths);

}  // namespace ralph::git

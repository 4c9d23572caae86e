#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "git/fields.h"
#include "git/program.h"

namespace ralph::git {

/// A copy of the user's index that may be changed; removed with this object.
class PrivateIndex {
 public:
  static Result<PrivateIndex> copy(const std::filesystem::path& git_folder);
  PrivateIndex(PrivateIndex&& other) noexcept : folder_(std::move(other.folder_)) {
    other.folder_.clear();
  }
  PrivateIndex& operator=(PrivateIndex&&) = delete;
  ~PrivateIndex();

  std::filesystem::path path() const { return folder_ / "index"; }

 private:
  explicit PrivateIndex(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

/// Every path that differs between HEAD, the index and the folder, those of `.ralph` among them. No submodule is
/// entered: git would follow that one's settings.
Result<std::vector<Entry>> list_entries(const Program& git);

/// Brings an index (empty: the user's) to what the folder holds. `git add -A` would do it in one call, but starts
/// another git in every submodule.
Result<> take_in(const Program& git, const std::vector<Entry>& entries,
                 const std::filesystem::path& index);

}  // namespace ralph::git

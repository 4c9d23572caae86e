#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/folder.h"
#include "core/base/result.h"

namespace ralph::store {

/// A file or directory that an agent may have tampered with, as it is reached: `root` by its path, whose last part must
/// not be a link, then name by name from descriptors (Folder). Nothing is held open between two calls, so that a
/// directory which was removed and made again is found.
class Location {
 public:
  /// The last part of the path, in a directory that is trusted.
  explicit Location(const std::filesystem::path& path)
      : root_(path.has_parent_path() ? path.parent_path() : "."), names_{path.filename()} {}
  Location(std::filesystem::path root, std::vector<std::string> names)
      : root_(std::move(root)), names_(std::move(names)) {}

  Location operator/(std::string_view name) const;
  const std::string& name() const { return names_.back(); }
  /// For messages.
  std::filesystem::path path() const;

  /// The directory it is in.
  Result<Folder> parent() const { return walk(names_.size() - 1, Missing::is_an_error); }
  Result<Folder> make_parent() const { return walk(names_.size() - 1, Missing::is_made); }
  /// It, as a directory.
  Result<Folder> folder() const { return walk(names_.size(), Missing::is_an_error); }
  Result<Folder> make_folder() const { return walk(names_.size(), Missing::is_made); }

 private:
  enum class Missing { is_an_error, is_made };
  Result<Folder> walk(std::size_t depth, Missing missing) const;

  std::filesystem::path root_;
  std::vector<std::string> names_;
};

}  // namespace ralph::store

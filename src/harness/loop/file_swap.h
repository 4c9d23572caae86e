#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/base/folder.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "harness/loop/held_files.h"

namespace ralph::loop {

/// What a path of the workspace holds.
struct FileVersion {
  enum class Kind { missing, file, link, other };
  Kind kind = Kind::missing;
  std::string bytes;  // of a link: where it leads
  mode_t mode = 0;    // permissions of a file
  bool operator==(const FileVersion&) const = default;
};

/// Follows no link, waits for no FIFO. Kind::other: a directory, a device … or a directory of the path is a link.
Result<FileVersion> read_version(const std::filesystem::path& root, const std::string& path);

/// The name of a directory of files that are held begins with it.
inline constexpr const char* kHeldPrefix = "held-";

/// Puts other versions of files into a directory, and the original ones back at the end. The originals are kept in a new
/// directory `.ralph/state/held-…`; a list of them in the user's state directory lets recover_files() restore them after a
/// crash. Links are never followed; nothing outside the directory is touched; nothing is removed that was not put there
/// by this class, except caches (is_cache) that were written meanwhile.
class FileSwap {
 public:
  struct Place {
    /// `root` holds `.ralph`; empty: the directory does.
    Place(std::filesystem::path of_files, std::filesystem::path of_ralph = {})
        : folder(std::move(of_files)), root(of_ralph.empty() ? folder : std::move(of_ralph)) {}
    std::filesystem::path folder, root;
  };
  struct Wanted {
    std::string path;  // relative to the directory, without ".."
    FileVersion version;
  };
  /// Only what differs is touched. `user`: where the list is kept; null: nowhere, so that after a crash the user has to
  /// look into the directory. It must outlive this object.
  static Result<FileSwap> begin(const Place& place, const std::vector<Wanted>& wanted,
                                const store::UserState* user = nullptr);
  /// One that a killed ralph did not end, by its list. Code::storage: what it had moved away is gone; the list is removed.
  static Result<FileSwap> reopen(const Place& place, const HeldFiles& list,
                                 const store::UserState& user);
  FileSwap(FileSwap&& other) noexcept = default;
  FileSwap& operator=(FileSwap&&) = delete;
  ~FileSwap();

  /// The paths that differed.
  std::vector<std::string> changed() const;
  /// Puts the other versions back; after it nothing is held. What was written in their place meanwhile is kept in the
  /// directory of what is held; the result names it.
  Result<std::vector<std::string>> end();
  struct PutBack {
    std::vector<std::string> paths;     // that were put back
    std::vector<std::string> warnings;  // what was not, and where it is
  };
  /// After reopen(), instead of end(): a file that is not what ralph put in its place stays as it is.
  Result<PutBack> put_back();

 private:
  struct Swapped {
    std::string path;
    bool existed = false;  // there was another version, which is held
    std::string digest;    // of the version that was wanted
  };
  enum class Found { goes_aside, stays };  // a version that is neither held nor ours
  explicit FileSwap(Place place) : place_(std::move(place)) {}
  Result<> make_held_folder();
  Result<> swap_in(std::size_t number, const FileVersion& version);
  Result<> swap_out(std::size_t number, Found found);
  Result<> swap_all_out(Found found);
  std::string held_name(std::string_view name) const;

  Place place_;
  UniqueFd root_, held_;
  std::optional<Folder> state_;  // `.ralph/state`
  std::string name_;             // of the held directory
  const store::UserState* user_ = nullptr;
  std::vector<Swapped> swapped_;
  std::vector<std::string> back_;  // paths that are as they were
  std::vector<std::string> left_;  // in the held directory, in words
};

}  // namespace ralph::loop

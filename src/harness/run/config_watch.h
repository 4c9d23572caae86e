#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "harness/run/settings_around.h"

namespace ralph::run {

/// Settings can name commands, so a file of them that changed while an agent worked is not obeyed before the user has
/// seen it. Before an agent starts, the content of each file is recorded in the state directory; the record is removed when
/// the agent has ended and the file is the same. A ralph that was killed leaves it, so nothing is missed.
/// A later run may begin in another directory: the settings files below the root of the workspace, and in the directories above it,
/// are listed before the agent starts. Those that differ when it has ended get a record of their own.
class ConfigWatch {
 public:
  /// Call while holding the workspace's lock. Code::usage as check(). Without a state directory nothing is recorded.
  /// `root` is that of the workspace; empty: only `files` are watched.
  static Result<ConfigWatch> begin(const std::filesystem::path& state,
                                   const std::vector<std::filesystem::path>& files,
                                   const std::filesystem::path& root = {});
  ConfigWatch(ConfigWatch&& other) noexcept = default;
  ConfigWatch& operator=(ConfigWatch&&) = delete;
  ~ConfigWatch() { finish(); }

  /// The agent has ended. The files that are not what they were; a second call finds none.
  std::vector<std::filesystem::path> finish();
  /// What became of a file that finish() named: "was created", "was removed", "changed"; and what to do about it.
  struct Change {
    std::string_view what, before_accepting, instead;
  };
  Change change_of(const std::filesystem::path& file) const;
  /// The tree was too large to look for settings in all of it; known after finish().
  bool incomplete() const { return incomplete_; }

  /// Code::usage when one of the files differs from its record: which, the lines that changed, how to accept it.
  static Result<> check(const std::filesystem::path& state,
                        const std::vector<std::filesystem::path>& files, const Masker& masker);
  /// The user has seen them as they are now. Returns those that had changed.
  static Result<std::vector<std::filesystem::path>> accept(
      const std::filesystem::path& state, const std::vector<std::filesystem::path>& files);

 private:
  ConfigWatch() = default;
  Result<> list_around();
  void finish_around(std::vector<std::filesystem::path>& changed);

  struct Watched {
    std::filesystem::path file, record;
    std::string digest;
  };
  std::vector<Watched> watched_;
  std::filesystem::path state_, root_;
  SettingsAround around_;          // at the start
  std::filesystem::path running_;  // the record of around_
  UniqueFd running_lock_;          // held on it: ralph is alive
  bool incomplete_ = false;
};

/// The lines for the end of a run in `workspace`: what finish() found.
std::vector<std::string> changed_settings(const ConfigWatch& watch,
                                          const std::vector<std::filesystem::path>& files,
                                          const std::filesystem::path& workspace);

}  // namespace ralph::run

#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/mask.h"
#include "base/result.h"

namespace ralph::run {

/// Where ralph keeps what no workspace may hold: XDG_STATE_HOME/ralph or ~/.local/state/ralph. Empty: no home is known.
std::filesystem::path state_folder(const std::vector<std::string>& environment);

/// Settings can name commands, so a file of them that changed while an agent worked is not obeyed before the user has
/// seen it. Before an agent starts, the content of each file is recorded in the state folder; the record is removed when
/// the agent has ended and the file is the same. A ralph that was killed leaves it, so nothing is missed.
class ConfigWatch {
 public:
  /// Call while holding the workspace's lock. Code::usage as check(). Without a state folder nothing is recorded.
  static Result<ConfigWatch> begin(const std::filesystem::path& state,
                                   const std::vector<std::filesystem::path>& files);
  ConfigWatch(ConfigWatch&& other) noexcept = default;
  ConfigWatch& operator=(ConfigWatch&&) = delete;
  ~ConfigWatch() { finish(); }

  /// The agent has ended. The files that are not what they were; a second call finds none.
  std::vector<std::filesystem::path> finish();

  /// Code::usage when one of the files differs from its record: which, the lines that changed, how to accept it.
  static Result<> check(const std::filesystem::path& state,
                        const std::vector<std::filesystem::path>& files, const Masker& masker);
  /// The user has seen them as they are now. Returns those that had changed.
  static Result<std::vector<std::filesystem::path>> accept(
      const std::filesystem::path& state, const std::vector<std::filesystem::path>& files);

 private:
  ConfigWatch() = default;
  struct Watched {
    std::filesystem::path file, record;
    std::string digest;
  };
  std::vector<Watched> watched_;
};

/// One line for the end of a run.
std::string changed_settings(const std::filesystem::path& file);

}  // namespace ralph::run

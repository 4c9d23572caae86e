#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/access.h"
#include "agent/tool/file_stamp.h"
#include "system/process/command.h"

namespace ralph::tool {

class BackgroundTasks;

/// An amount of pictures and documents in a request.
struct Media {
  std::int64_t bytes = 0;  // as base64
  std::int64_t items = 0;  // pictures and pages of documents; the API counts them together
};

/// The state that a session's tools share: working directory, files seen, remaining room. Thread-safe.
class Workspace {
 public:
  struct Setup : permission::WorkingFolders {
    std::vector<process::EnvChange> environment;  // changes for commands
    bool read_before_write = false;               // a file must have been read before it is changed
    bool background = true;                       // commands may run in the background
    bool shared = false;  // of a subagent: others change the same directories at the same time
    BackgroundTasks* tasks = nullptr;     // the background commands; null: not possible
    std::vector<std::string> unreadable;  // patterns of paths that must not be read
    std::vector<std::string> variables;   // "NAME=value" (BASH_DEFAULT_TIMEOUT_MS …)
    /// The program that scales pictures; empty: searched beside this program.
    std::filesystem::path image_scaler;
    /// The available means to confine commands; nullopt: detect.
    std::optional<process::ConfinementSupport> support = std::nullopt;
  };
  explicit Workspace(Setup setup);

  const Setup& setup() const { return setup_; }
  /// The base of relative paths; a command's "cd" changes it.
  std::filesystem::path cwd() const;
  /// Only within the working directories; false: unchanged.
  bool change_to(const std::filesystem::path& folder);

  /// Resolves a path given by the model, relative to cwd(), with links resolved as far as it exists. "~" is not expanded.
  std::filesystem::path resolve(std::string_view path) const;
  /// Whether a resolved path is in one of the working directories.
  bool contains(const std::filesystem::path& resolved) const { return setup_.contains(resolved); }

  /// Records the state of a file that the model has seen.
  void remember(const std::filesystem::path& resolved, const FileStamp& stamp);
  std::optional<FileStamp> seen(const std::filesystem::path& resolved) const;

  /// The tokens that all large reads of one message may add to the conversation.
  void set_read_room(std::int64_t tokens);
  /// False: not enough room; nothing was reserved.
  bool reserve_read_room(std::int64_t tokens);

  /// The media that one message may add to the conversation.
  void set_media_room(const Media& room);
  /// False: not enough room; nothing was reserved.
  bool reserve_media_room(const Media& media);

  /// A variable of Setup::variables; empty: not set.
  std::string variable(std::string_view name) const;

 private:
  Setup setup_;
  mutable std::mutex mutex_;
  std::filesystem::path cwd_;
  std::map<std::filesystem::path, FileStamp> seen_;
  std::int64_t read_room_ = 100'000;
  Media media_room_{std::int64_t{30} << 20, 100};
};

}  // namespace ralph::tool

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

/// Pictures and documents as a request carries them.
struct Media {
  std::int64_t bytes = 0;  // as base64
  std::int64_t items = 0;  // pictures and pages of documents, which the API counts together
};

/// What a session's tools share: where they work, and what they know of it. May be used by many threads.
class Workspace {
 public:
  struct Setup : permission::WorkingFolders {
    std::vector<process::EnvChange> environment;  // for the commands they run
    bool read_before_write = false;               // a file must have been read before it is changed
    bool background = true;                       // commands may go on behind a call
    BackgroundTasks* tasks = nullptr;             // those that do; without it none may
    std::vector<std::string> unreadable;          // patterns of files that no search may look into
    std::vector<std::string> variables;           // ours, "NAME=value" (BASH_DEFAULT_TIMEOUT_MS …)
    /// The program that scales pictures; empty: looked for beside this one.
    std::filesystem::path image_scaler;
    /// By which means commands are confined; nullopt: what this machine has.
    std::optional<process::ConfinementSupport> support = std::nullopt;
  };
  explicit Workspace(Setup setup);

  const Setup& setup() const { return setup_; }
  /// Where relative paths begin; a command's "cd" moves it.
  std::filesystem::path cwd() const;
  /// Only within the working folders; false: it stays where it is.
  bool change_to(const std::filesystem::path& folder);

  /// A path of the model's: relative ones from cwd(), "~" not expanded; links resolved as far as it exists.
  std::filesystem::path resolve(std::string_view path) const;
  /// Whether a resolved path is in one of the working folders.
  bool contains(const std::filesystem::path& resolved) const { return setup_.contains(resolved); }

  /// A file the model has seen, as it was then.
  void remember(const std::filesystem::path& resolved, const FileStamp& stamp);
  std::optional<FileStamp> seen(const std::filesystem::path& resolved) const;

  /// How many tokens the large reads of a message may add to the conversation together.
  void set_read_room(std::int64_t tokens);
  /// False: there is less room than that, and nothing was reserved.
  bool reserve_read_room(std::int64_t tokens);

  /// How much a message may add to the conversation.
  void set_media_room(const Media& room);
  /// False: there is less room than that, and nothing was reserved.
  bool reserve_media_room(const Media& media);

  /// An environment variable of the agent; empty: not set.
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

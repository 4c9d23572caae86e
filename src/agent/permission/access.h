#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/document.h"

namespace ralph::permission {

/// What a decision allows. The kernel restricts the commands of a call to it: reading only, changing files in the
/// working directories, or everything that the user may do.
enum class Grant { none, reading, editing, user };
std::string_view to_string(Grant grant);

/// What a call would access, and the grant it runs with.
struct Access {
  /// `session`: only state of the session itself. `unknown`, the default: not stated by the tool; only a rule or
  /// bypassPermissions allows it. `question`: for the user, whom no rule and no mode can replace.
  enum class Kind { unknown, session, question, read, write, run };
  Kind kind = Kind::unknown;
  std::filesystem::path path;  // of read and write: absolute, links resolved
  std::string
      command;  // of run; of session and unknown: what the call names, for rules ("domain:example.org")
  std::filesystem::path cwd = {};  // of run: the directory it starts in, used for the decision
  Grant grant = Grant::none;       // set from the decision before the call runs
  std::string call_id = {};        // set before the call runs
};

/// The directories that decisions depend on; absolute, links resolved.
struct WorkingFolders {
  std::filesystem::path root;                      // the working directory
  std::vector<std::filesystem::path> directories;  // further working directories (--add-dir)
  std::filesystem::path output_folder;  // for output too long to show; created when needed, 0700
  /// Directories with ralph's own records and the user's settings. Inside a working directory, tools may change them
  /// only with a rule.
  std::vector<std::filesystem::path> own_folders;

  /// Whether a resolved path is in one of the working directories.
  bool contains(const std::filesystem::path& resolved) const;
};

/// A call to decide about; borrows what it refers to.
struct ToolCall {
  std::string_view tool;
  const json::Document& input;
  const Access& access;
  const WorkingFolders& folders;
  std::filesystem::path cwd;   // the base of the call's relative paths
  bool tasks_running = false;  // commands are running in the background
};

}  // namespace ralph::permission

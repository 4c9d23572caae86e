#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/document.h"

namespace ralph::permission {

/// Why a call is allowed. It decides what the kernel lets its commands do: nothing but reading, changing files in the
/// working folders, or whatever the user could do.
enum class Grant { none, reading, editing, user };
std::string_view to_string(Grant grant);

/// What a call would touch, and on which grant it runs.
struct Access {
  /// `session`: nothing but what the session itself keeps. `unknown`: the tool does not say; only a rule allows it.
  enum class Kind { unknown, session, read, write, run };
  Kind kind = Kind::unknown;
  std::filesystem::path
      path;             // of read and write: absolute, as the system would find it, links resolved
  std::string command;  // of run
  std::filesystem::path cwd = {};  // of run: the folder it starts in, which the decision is about
  Grant grant = Grant::none;       // set from the decision before the call runs
};

/// The folders that decisions are about; absolute, links resolved.
struct WorkingFolders {
  std::filesystem::path root;                      // the working folder
  std::vector<std::filesystem::path> directories;  // further ones tools may work in (--add-dir)
  std::filesystem::path output_folder;  // for output too long to be shown; made when needed, 0700
  /// Folders with our own records and the user's settings. Inside a working folder only a rule lets a tool change them.
  std::vector<std::filesystem::path> own_folders;

  /// Whether a resolved path is in one of the working folders.
  bool contains(const std::filesystem::path& resolved) const;
};

/// A call whose permission is decided; borrows what it refers to.
struct ToolCall {
  std::string_view tool;
  const json::Document& input;
  const Access& access;
  const WorkingFolders& folders;
  std::filesystem::path cwd;   // where the call's relative paths begin
  bool tasks_running = false;  // commands go on in the background
};

}  // namespace ralph::permission

#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/access.h"
#include "agent/permission/file_commands.h"
#include "agent/permission/path_resolver.h"
#include "agent/permission/read_only_commands.h"
#include "core/base/shell_words.h"

namespace ralph::permission {

/// Checks which files a command line uses, following its "cd" commands. The cost grows linearly with the line up to a
/// limit; beyond it no file counts as inside.
class CommandFiles {
 public:
  /// `cwd`: where the line starts. `tasks_running`: commands are running in the background.
  CommandFiles(const ShellLine& line, const WorkingFolders& folders,
               const std::filesystem::path& cwd, bool tasks_running);

  /// Whether all files a reading command names are known to be in the working directories.
  bool reads_inside(const ShellCommand& command, const ReadingCommand& reading) const;
  /// Whether all files a file command names are in the working directories and not sensitive.
  bool changes_inside(const FileCommand& command) const;
  /// The same for the files it writes by ">".
  bool outputs_inside(const ShellCommand& command) const;
  /// Whether a command uses a path that an earlier "cp" or "mv" of the line changes: its content is not known yet.
  bool follows_copy() const;

  using Predicate = std::function<bool(const std::filesystem::path& path)>;
  /// Whether the predicate holds for a path that the text may name, with or without following links; true if unknown.
  bool any_path(std::string_view text, const Predicate& predicate) const;
  /// The same for everything below a directory; true if there are too many entries to check.
  bool any_below(std::string_view text, const Predicate& predicate) const;
  bool is_folder(std::string_view text) const;

  /// The number of file system lookups so far.
  std::size_t lookups() const { return resolver_.lookups(); }

 private:
  struct Base {
    std::string logical;   // as the shell names it
    std::string physical;  // links resolved
  };
  void follow_cd(const ShellCommand& command);
  void add_base(Base base);
  std::vector<std::string> paths(std::string_view text) const;
  bool all_paths(std::string_view text, const Predicate& predicate) const;
  bool is_inside(std::string_view path) const;
  bool operand_inside(const ShellWord& word) const;
  bool wildcards_inside(const ShellWord& word) const;
  bool matches_inside(const std::string& pattern) const;
  bool may_change(std::string_view text, FileCommand::Kind kind) const;
  bool must_stay(const std::string& path, FileCommand::Kind kind) const;
  bool copies_inside(const FileCommand& command) const;
  bool folder_may_be_copied(std::string_view text) const;
  bool has_links(std::string_view text) const;

  const ShellLine& line_;
  const WorkingFolders& folders_;
  bool tasks_running_;
  std::vector<std::string> working_folders_;
  std::vector<Base> bases_;  // possible bases of relative paths, after "cd"
  bool lost_ = false;        // a "cd" leads to an unknown place or outside
  mutable PathResolver resolver_;
  mutable std::size_t entries_left_;  // directory entries that may still be read
};

}  // namespace ralph::permission

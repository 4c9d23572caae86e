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

/// A command line and the folders its parts may run in, for the check of its files. What it costs grows with the length
/// of the line, up to a limit; beyond it nothing is inside.
class CommandFiles {
 public:
  /// `cwd`: where the line starts. `tasks_running`: commands go on in the background.
  CommandFiles(const ShellLine& line, const WorkingFolders& folders,
               const std::filesystem::path& cwd, bool tasks_running);

  /// Whether all that a reading command names is in the working folders, as far as that is known.
  bool reads_inside(const ShellCommand& command, const ReadingCommand& reading) const;
  /// Whether all that a file command names is in the working folders and not sensitive.
  bool changes_inside(const FileCommand& command) const;
  /// Whether all it writes by ">" is.
  bool outputs_inside(const ShellCommand& command) const;
  /// Whether a command uses what an earlier "cp" or "mv" of the line has put below a folder, which is not known yet.
  bool follows_copy() const;

  using Predicate = std::function<bool(const std::filesystem::path& path)>;
  /// Whether the predicate holds for a path the text may stand for, links followed or not; also true when that is unknown.
  bool any_path(std::string_view text, const Predicate& predicate) const;
  /// The same of everything below, if it is a folder; also when there is too much to look at.
  bool any_below(std::string_view text, const Predicate& predicate) const;
  bool is_folder(std::string_view text) const;

  /// How often the file system was asked about a name.
  std::size_t lookups() const { return resolver_.lookups(); }

 private:
  struct Base {
    std::string logical;   // what the shell calls it
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
  bool is_ours(const std::string& path, FileCommand::Kind kind) const;
  bool copies_inside(const FileCommand& command) const;
  bool folder_may_be_copied(std::string_view text) const;
  bool has_links(std::string_view text) const;

  const ShellLine& line_;
  const WorkingFolders& folders_;
  bool tasks_running_;
  std::vector<std::string> working_folders_;
  std::vector<Base> bases_;  // where relative paths may begin, "cd" followed
  bool lost_ = false;        // a "cd" goes where we cannot tell, or out of the working folders
  mutable PathResolver resolver_;
  mutable std::size_t entries_left_;  // names in folders that may still be looked at
};

}  // namespace ralph::permission

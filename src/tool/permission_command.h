#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tool/shell_words.h"
#include "tool/workspace.h"

namespace ralph::tool {

/// A file whose change could make other programs run something: inside .git, .claude …, or a start-up
/// file of a shell.
bool is_sensitive(const std::filesystem::path& resolved, const Workspace& workspace);

/// Whether a path is in the working folders, also once links that lead nowhere yet are followed.
bool is_surely_inside(const std::filesystem::path& resolved, const Workspace& workspace);

/// A command line and the folders its parts may run in, for whoever judges its files.
class CommandFiles {
 public:
  CommandFiles(const ShellLine& line, const Workspace& workspace);

  /// Whether all that a reading command names is in the working folders, as far as it can be told.
  bool reads_inside(const ShellCommand& command) const;
  /// Whether it is a plain file command, and all it names is in the working folders and not sensitive.
  bool changes_inside(const ShellCommand& command) const;
  /// Whether all it writes by ">" is.
  bool outputs_inside(const ShellCommand& command) const;
  /// Whether a command uses what an earlier "cp" or "mv" of the line has put below a folder, which nobody can know yet.
  bool follows_copy(const ShellLine& line) const;
  /// Every path a word may stand for.
  std::vector<std::filesystem::path> paths(const ShellWord& word) const;

 private:
  bool operand_inside(const ShellWord& word) const;
  bool wildcards_inside(const ShellWord& word) const;
  bool option_inside(const ShellWord& word) const;
  bool all_inside(const std::string& text) const;
  bool matches_inside(const std::string& pattern) const;
  bool compares_folders(const ShellCommand& command) const;
  bool copies_inside(const ShellCommand& command) const;
  bool may_change(const ShellWord& word, bool not_a_folder_of_ours) const;

  const Workspace& workspace_;
  std::vector<std::filesystem::path> bases_;  // where relative paths may begin, "cd" followed
  bool lost_ = false;                         // a "cd" goes where we cannot tell
};

}  // namespace ralph::tool

#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ralph::loop {

/// What a shell command names, as far as its text tells. Where it is not sure in which directory a command runs, files
/// of all possible directories are named.
struct CommandFiles {
  std::vector<std::string> programs;  // words in the place of a command, without a slash: "make"
  /// Files of the workspace that are run and judged by their exit code, and the links to them: "./check.sh", "bash
  /// check.sh". One whose output goes to another command is what is checked, not what checks.
  std::vector<std::string> scripts;
  /// Other files of the workspace it names, and those its programs read by themselves.
  std::vector<std::string> inputs;
  /// Scripts, and links to scripts, that lie outside of the workspace or in `.git`, and that this user can write.
  /// Absolute.
  std::vector<std::string> outside;
  std::vector<std::string> readers;  // programs that choose themselves what they read: "make"
  std::vector<std::string> unknown;  // parts that may run files which only the shell knows: "$t"
};

/// Paths are relative to the workspace; only those that exist there. Linear in the text's length.
CommandFiles files_of(const std::vector<std::string>& commands,
                      const std::filesystem::path& workspace,
                      const std::vector<std::string>& environment);

/// The same for programs, by absolute paths: only scripts and what is outside.
CommandFiles files_of_programs(const std::vector<std::string>& paths,
                               const std::filesystem::path& workspace);

}  // namespace ralph::loop

#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::loop {

/// What a shell command names, as far as its text tells.
struct CommandFiles {
  std::vector<std::string> programs;  // words in the place of a command, without a slash: "make"
  /// Files of the workspace that are run and judged by their exit code: "./check.sh", "bash check.sh". One whose output
  /// goes to another command or a file is what is checked, not what checks.
  std::vector<std::string> scripts;
  /// Other files of the workspace it names, and those its programs read by themselves.
  std::vector<std::string> inputs;
};

/// Paths are relative to the workspace; only those that exist there. Linear in the text's length.
CommandFiles files_of(const std::vector<std::string>& commands,
                      const std::filesystem::path& workspace);

/// Whether a path looks like a test or like what decides how tests are run.
bool is_test_file(std::string_view path);

}  // namespace ralph::loop

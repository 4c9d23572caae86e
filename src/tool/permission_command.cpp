#include "tool/permission_command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "tool/command_table.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBases = 16;
constexpr std::array<std::string_view, 4> kSensitiveFolders{".git", ".claude", ".vscode", ".idea"};
constexpr std::array<std::string_view, 10> kSensitiveFiles{
    ".gitconfig", ".gitmodules", ".bashrc",    ".bash_profile", ".profile",
    ".zshrc",     ".zprofile",   ".ripgreprc", ".mcp.json",     ".claude.json"};
constexpr std::array<std::string_view, 3> kHarmless{"/dev/null", "/dev/stdin", "-"};

/// The part of an argument that may be a path: all of it, or what follows "--option=" or "-o".
std::string path_part(const ShellWord& word) {
  const auto& text = word.text;
  if (!text.starts_with('-') || text == "-") return text;
  if (const auto equals = text.find('='); equals != std::string::npos)
    return text.substr(equals + 1);
  const auto start = std::min(text.find('/'), text.find(".."));
  if (start == std::string::npos || start + 1 == text.size()) return {};  // "-d/" is a separator
  return text.substr(start);
}

/// "-e", "-f", "--regexp", "--file", "--files", also among other letters: the first operand is a file then.
bool gives_pattern(const ShellWord& word) {
  const auto& text = word.text;
  if (text.starts_with("--")) return text.starts_with("--regexp") || text.starts_with("--f");
  return text.starts_with('-') && text.find_first_of("ef", 1) != std::string::npos;
}

/// A pattern leads no further than the folder before its first wildcard.
std::string without_wildcards(const std::string& text) {
  const auto wildcard = text.find_first_of("*?[{");
  if (wildcard == std::string::npos) return text;
  const auto slash = text.rfind('/', wildcard);
  return slash == std::string::npos ? "." : text.substr(0, slash + 1);
}

bool climbs_after_wildcard(const std::string& text) {
  const auto wildcard = text.find_first_of("*?[{");
  return wildcard != std::string::npos && text.find("..", wildcard) != std::string::npos;
}

}  // namespace

bool is_sensitive(const fs::path& resolved, const Workspace& workspace) {
  auto folders = workspace.setup().directories;
  folders.push_back(workspace.setup().root);
  for (const auto& folder : folders) {
    const auto relative = resolved.lexically_relative(folder);
    if (relative.empty() || *relative.begin() == "..") continue;
    for (const auto& part : relative) {
      if (std::ranges::find(kSensitiveFolders, part.string()) != kSensitiveFolders.end())
        return true;
    }
  }
  return std::ranges::find(kSensitiveFiles, resolved.filename().string()) != kSensitiveFiles.end();
}

bool is_surely_inside(const fs::path& resolved, const Workspace& workspace) {
  if (!workspace.contains(resolved)) return false;
  fs::path start;
  for (const auto& part : resolved) {
    start /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(start, error))) return false;
  }
  return true;
}

CommandFiles::CommandFiles(const ShellLine& line, const Workspace& workspace)
    : workspace_(workspace), bases_{workspace.cwd()} {
  for (const auto& command : line.commands) {
    if (command.words.empty() || !command.words[0].is("cd")) continue;
    const bool simple = command.words.size() == 2 && command.words[1].literal &&
                        !command.words[1].text.starts_with('-');
    if (!simple || bases_.size() >= kMaxBases) {
      lost_ = true;
      return;
    }
    const auto further = paths(command.words[1]);
    bases_.insert(bases_.end(), further.begin(), further.end());
  }
}

std::vector<fs::path> CommandFiles::paths(const ShellWord& word) const {
  std::vector<fs::path> found;
  for (const auto& base : bases_) {
    const auto path = workspace_.resolve((base / word.text).string());
    found.push_back(path.has_filename() ? path : path.parent_path());  // "x/" is "x"
  }
  return found;
}

bool CommandFiles::operand_inside(const ShellWord& word) const {
  auto text = path_part(word);
  if (word.text.starts_with('-') && text.empty() && word.literal) return true;
  if (!word.literal && (!word.pattern || climbs_after_wildcard(text))) return false;
  if (std::ranges::find(kHarmless, text) != kHarmless.end()) return true;
  if (word.pattern) text = without_wildcards(text);
  const auto inside = [&](const fs::path& path) { return workspace_.contains(path); };
  return std::ranges::all_of(paths({text}), inside);
}

bool CommandFiles::reads_inside(const ShellCommand& command) const {
  const auto known = reading_command(command);
  if (!known || lost_) return false;
  for (const auto& input : command.inputs) {
    if (!input.literal || !operand_inside(input)) return false;
  }
  if (!known->names_files) return true;
  bool skip = known->pattern_first && std::ranges::none_of(command.words, gives_pattern);
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const auto& word = command.words[i];
    const bool option = word.text.starts_with('-') && word.text != "-";
    if (!option && skip) {
      skip = false;
      continue;
    }
    if (!operand_inside(word)) return false;
  }
  return true;
}

bool CommandFiles::may_change(const ShellWord& word, bool not_a_folder_of_ours) const {
  if (!word.literal || lost_) return false;
  const auto fine = [&](const fs::path& path) {
    const auto& setup = workspace_.setup();
    const bool ours = path == setup.root || path == workspace_.cwd() ||
                      std::ranges::find(setup.directories, path) != setup.directories.end();
    return is_surely_inside(path, workspace_) && !is_sensitive(path, workspace_) &&
           !(ours && not_a_folder_of_ours);
  };
  return std::ranges::all_of(paths(word), fine);
}

bool CommandFiles::changes_inside(const ShellCommand& command) const {
  const auto known = file_command(command);
  if (!known) return false;
  bool options_over = false;
  for (auto i = known->first_operand; i < command.words.size(); ++i) {
    const auto& word = command.words[i];
    if (!options_over && word.text.starts_with('-')) {
      options_over = word.text == "--";
      continue;
    }
    if (!may_change(word, known->removes)) return false;
  }
  return true;
}

bool CommandFiles::outputs_inside(const ShellCommand& command) const {
  return std::ranges::all_of(command.outputs,
                             [&](const ShellWord& word) { return may_change(word, true); });
}

}  // namespace ralph::tool

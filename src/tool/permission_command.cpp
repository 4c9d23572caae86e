#include "tool/permission_command.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <system_error>

#include "tool/command_table.h"
#include "tool/permission_glob.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBases = 16;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostEntries = 20000;
constexpr std::size_t kMostCopied = 10000;
constexpr std::array<std::string_view, 7> kSensitiveFolders{
    ".git", ".claude", ".vscode", ".idea", ".husky", ".ralph", ".ssh"};
constexpr std::array<std::string_view, 14> kSensitiveFiles{
    ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".profile",  ".zshenv",      ".envrc",
    ".zshrc",     ".zprofile",   ".ripgreprc", "ralph.yml",  ".mcp.json", ".claude.json", ".npmrc"};
constexpr std::array<std::string_view, 2> kSensitiveOfConfig{"ralph", "git"};  // in .config
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

/// "-e", "-f", "--regexp", "--file", "--files", also shortened or among other letters: the first operand is a file then.
bool gives_pattern(const ShellWord& word) {
  const auto& text = word.text;
  if (text.starts_with("--")) {
    const auto name = text.substr(2, text.find('=') - 2);
    return name.starts_with('f') || (!name.empty() && std::string_view("regexp").starts_with(name));
  }
  return text.starts_with('-') && text.find_first_of("ef", 1) != std::string::npos;
}

/// A pattern leads no further than the folder before its first wildcard.
std::string without_wildcards(const std::string& text) {
  const auto wildcard = text.find_first_of("*?[{");
  if (wildcard == std::string::npos) return text;
  const auto slash = text.rfind('/', wildcard);
  return slash == std::string::npos ? "." : text.substr(0, slash + 1);
}

/// Whether the shell may make several words of it that do not begin alike.
bool has_braces(const ShellWord& word) {
  const auto open = word.pattern ? word.text.find('{') : std::string::npos;
  if (open == std::string::npos) return false;
  return word.text.find(',', open) != std::string::npos ||
         word.text.find("..", open) != std::string::npos;
}

bool is_copy(const ShellCommand& command) {
  return command.words.size() > 1 && (command.words[0].is("cp") || command.words[0].is("mv"));
}

std::vector<ShellWord> operands_of(const ShellCommand& command) {
  std::vector<ShellWord> found;
  bool options_over = false;
  for (const auto& word : std::span(command.words).subspan(1)) {
    if (!options_over && word.text.starts_with('-')) {
      options_over = word.text == "--";
    } else {
      found.push_back(word);
    }
  }
  return found;
}

bool names_target(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& word) { return word.is("-t"); });
}

/// What is copied: all operands but the one that is copied to.
std::vector<ShellWord> sources_of(const ShellCommand& command) {
  auto found = operands_of(command);
  std::size_t before = 0;  // operands in front of "-t"
  for (const auto& word : std::span(command.words).subspan(1)) {
    if (word.is("--")) break;
    if (word.is("-t") && before < found.size()) {
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(before));
      return found;
    }
    if (!word.text.starts_with('-')) ++before;
  }
  if (!found.empty()) found.pop_back();
  return found;
}

bool copies_folders(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& word) {
    if (word.text.starts_with("--")) return word.text == "--recursive" || word.text == "--archive";
    return word.text.starts_with('-') && word.text.find_first_of("rRa") != std::string::npos;
  });
}

bool entry_is_safe(const fs::path& entry, const Workspace& workspace) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(entry, error))) return !is_sensitive(entry, workspace);
  const auto resolved = workspace.resolve(entry.string());
  return is_surely_inside(resolved, workspace) && !is_sensitive(resolved, workspace);
}

/// Some file systems do not tell capital letters from small ones.
bool is_one_of(std::span<const std::string_view> names, std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(names, name) != names.end();
}

bool is_sensitive_name(const std::string& name) {
  return is_one_of(kSensitiveFolders, name) || is_one_of(kSensitiveFiles, name);
}

/// Also when it cannot be looked through, or is too large for that.
bool holds_sensitive(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++count > kMostCopied || is_sensitive_name(entry->path().filename().string())) return true;
  }
  return static_cast<bool>(error);
}

/// Also when it is too large to be looked through.
bool has_links(const fs::path& folder) {
  std::error_code error;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++count > kMostEntries || entry->is_symlink(error)) return true;
  }
  return false;
}

/// Whether the shell makes a word of it that the command does not take for the name of a file: "-R", "@list".
bool is_taken_for_option(const std::string& pattern, const fs::path& path, const fs::path& base) {
  if (pattern.starts_with('/') || pattern.starts_with('.')) return false;
  const auto word = path.lexically_relative(base).string();
  return word.starts_with('-') || word.starts_with('@');
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
    std::string before;
    for (const auto& part : relative) {
      if (is_one_of(kSensitiveFolders, part.string())) return true;
      if (before == ".config" && is_one_of(kSensitiveOfConfig, part.string())) return true;
      before = part.string();
    }
  }
  return is_one_of(kSensitiveFiles, resolved.filename().string());
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

bool CommandFiles::all_inside(const std::string& text) const {
  return std::ranges::all_of(paths({text}),
                             [&](const fs::path& path) { return workspace_.contains(path); });
}

bool CommandFiles::option_inside(const ShellWord& word) const {
  if (!word.literal) return false;
  const auto end = std::min(word.text.size(), kLongestName);
  for (std::size_t i = 2; i < end; ++i) {  // "-fname", where the name may be a link
    const auto name = word.text.substr(i);
    if (name != "/" && !all_inside(name)) return false;  // "-d/" is a separator
  }
  return true;
}

bool CommandFiles::matches_inside(const std::string& pattern) const {
  return std::ranges::all_of(bases_, [&](const fs::path& base) {
    const auto found = matching_paths(pattern, base);
    return found && std::ranges::all_of(*found, [&](const fs::path& path) {
             return !is_taken_for_option(pattern, path, base) &&
                    workspace_.contains(workspace_.resolve(path.string()));
           });
  });
}

/// Of a command that names no files: the shell still looks for names that match.
bool CommandFiles::wildcards_inside(const ShellWord& word) const {
  if (word.literal) return true;
  if (word.pattern) return word.text.find_first_of("*?[") == word.text.npos || operand_inside(word);
  auto text = word.text;
  for (auto at = text.find("$?"); at != text.npos; at = text.find("$?")) text.erase(at, 2);
  return text.find_first_of("*?[") == text.npos;
}

bool CommandFiles::operand_inside(const ShellWord& word) const {
  auto text = path_part(word);
  if (has_braces(word)) return false;
  if (word.text.starts_with('-') && text.empty()) return option_inside(word);
  if (!word.literal && (!word.pattern || climbs_after_wildcard(text))) return false;
  if (std::ranges::find(kHarmless, text) != kHarmless.end()) return true;
  if (!word.pattern) return all_inside(text);
  return !word.quoted && all_inside(without_wildcards(text)) && matches_inside(text);
}

/// diff follows the links in folders it compares.
bool CommandFiles::compares_folders(const ShellCommand& command) const {
  if (!command.words[0].is("diff")) return false;
  const auto is_folder = [&](const ShellWord& word) {
    return std::ranges::any_of(paths(word), [](const fs::path& path) {
      std::error_code error;
      return fs::is_directory(path, error);
    });
  };
  const auto operands = std::span(command.words).subspan(1);
  return std::ranges::any_of(operands, is_folder) &&
         std::ranges::none_of(operands,
                              [](const ShellWord& word) { return word.is("--no-dereference"); });
}

bool CommandFiles::reads_inside(const ShellCommand& command) const {
  const auto known = reading_command(command);
  if (!known || lost_) return false;
  for (const auto& input : command.inputs) {
    if (!input.literal || !operand_inside(input)) return false;
  }
  if (!known->names_files) {
    return std::ranges::all_of(command.words,
                               [&](const ShellWord& word) { return wildcards_inside(word); });
  }
  if (reads_further(command) || compares_folders(command)) return false;
  bool skip = known->pattern_first && std::ranges::none_of(command.words, gives_pattern);
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const auto& word = command.words[i];
    const bool option = word.text.starts_with('-') && word.text != "-";
    if (!option && skip && word.literal) {
      skip = false;
      continue;
    }
    if (skip && !option && command.words[0].is("jq")) return false;  // a program nobody has seen
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
  return !is_copy(command) || copies_inside(command);
}

/// Whether nothing that a copy may replace or be written through is a link to elsewhere, and nothing that is copied with
/// its folder is sensitive.
bool CommandFiles::copies_inside(const ShellCommand& command) const {
  if (command.words[0].is("mv") || copies_folders(command)) {
    for (const auto& source : sources_of(command)) {
      if (std::ranges::any_of(paths(source), holds_sensitive)) return false;
    }
  }
  const auto names = operands_of(command);
  for (const auto& name : names) {
    for (const auto& target : paths(name)) {  // any of them may be the one that is copied to
      for (const auto& source : names) {
        for (const auto& from : paths(source)) {
          if (!entry_is_safe(target / from.filename(), workspace_)) return false;
        }
      }
      const bool is_target = &name == &names.back() || names_target(command);
      if (is_target && copies_folders(command) && has_links(target)) return false;
    }
  }
  return true;
}

bool CommandFiles::follows_copy(const ShellLine& line) const {
  std::vector<fs::path> copied;
  for (const auto& command : line.commands) {
    const bool copies = is_copy(command);
    const auto hit = [&](const ShellWord& word) {
      const auto open = word.pattern && !word.literal;
      const ShellWord fixed{open ? without_wildcards(word.text) : word.text};
      return std::ranges::any_of(paths(fixed), [&](const fs::path& path) {
        return std::ranges::any_of(copied, [&](const fs::path& folder) {
          const auto below = path.lexically_relative(folder);
          if (below.empty() || *below.begin() == "..") return false;
          return copies || open || below != ".";
        });
      });
    };
    if (std::ranges::any_of(command.words, hit) || std::ranges::any_of(command.outputs, hit) ||
        std::ranges::any_of(command.inputs, hit)) {
      return true;
    }
    if (!copies) continue;
    for (const auto& name : operands_of(command)) {
      const auto places = paths(name);
      copied.insert(copied.end(), places.begin(), places.end());
    }
  }
  return false;
}

bool CommandFiles::outputs_inside(const ShellCommand& command) const {
  return std::ranges::all_of(command.outputs,
                             [&](const ShellWord& word) { return may_change(word, true); });
}

}  // namespace ralph::tool

#include "agent/permission/command_files.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "agent/permission/glob_paths.h"
#include "agent/permission/sensitive_files.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBases = 16;
constexpr std::size_t kMostLookups = 50'000;
constexpr std::size_t kMostEntries = 20'000;
constexpr std::array<std::string_view, 3> kHarmless{"/dev/null", "/dev/stdin", "-"};
/// Commands that may change the shell's working directory.
constexpr std::string_view kMoving = "cd pushd popd eval source . builtin command";

/// The directory before the first wildcard of a pattern; all matches are below it.
std::string without_wildcards(const std::string& text) {
  const auto wildcard = text.find_first_of("*?[{");
  if (wildcard == std::string::npos) return text;
  const auto slash = text.rfind('/', wildcard);
  return slash == std::string::npos ? "." : text.substr(0, slash + 1);
}

/// Whether the word may expand to several words with different beginnings.
bool has_braces(const ShellWord& word) {
  const auto open = word.pattern ? word.text.find('{') : std::string::npos;
  if (open == std::string::npos) return false;
  return word.text.find(',', open) != std::string::npos ||
         word.text.find("..", open) != std::string::npos;
}

/// Whether a match of the pattern would be read as an option or a file list: "-R", "@list".
bool is_taken_for_option(const std::string& pattern, const fs::path& path, const fs::path& base) {
  if (pattern.starts_with('/') || pattern.starts_with('.')) return false;
  const auto word = path.lexically_relative(base).string();
  return word.starts_with('-') || word.starts_with('@');
}

bool climbs_after_wildcard(const std::string& text) {
  const auto wildcard = text.find_first_of("*?[{");
  return wildcard != std::string::npos && text.find("..", wildcard) != std::string::npos;
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string plain(const fs::path& folder) {
  auto text = folder.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace

CommandFiles::CommandFiles(const ShellLine& line, const WorkingFolders& folders,
                           const fs::path& cwd, bool tasks_running)
    : line_(line),
      folders_(folders),
      tasks_running_(tasks_running),
      working_folders_{plain(folders.root)},
      bases_{{plain(cwd), plain(cwd)}},
      resolver_(kMostLookups),
      entries_left_(kMostEntries) {
  for (const auto& folder : folders.directories) working_folders_.push_back(plain(folder));
  for (const auto& command : line.commands) {
    if (!command.words.empty() && has_word(kMoving, command.words[0].text)) follow_cd(command);
  }
}

/// "cd" resolves ".." by names, and as the kernel does only if that fails; both results are possible.
void CommandFiles::follow_cd(const ShellCommand& command) {
  const auto reading = reading_command(command);
  if (command.words[0].is("command") && reading) return;  // command -v
  if (!command.words[0].is("cd") || !reading || bases_.size() > kMaxBases) {
    lost_ = true;
    return;
  }
  const auto& target = command.words[1].text;
  const auto from = bases_;
  for (const auto& base : from) {
    const auto logical = logical_path(base.logical, target);
    const auto reached = resolver_.resolve("/", logical);
    const auto physical = resolver_.resolve(base.physical, target);
    if (!reached || !physical || !is_inside(*reached) || !is_inside(*physical)) {
      lost_ = true;
      return;
    }
    add_base({logical, *reached});
    add_base({*physical, *physical});
  }
}

void CommandFiles::add_base(Base base) {
  const auto same = [&](const Base& other) {
    return other.logical == base.logical && other.physical == base.physical;
  };
  if (std::ranges::none_of(bases_, same)) bases_.push_back(std::move(base));
}

bool CommandFiles::is_inside(std::string_view path) const {
  return std::ranges::any_of(
      working_folders_, [&](const std::string& folder) { return is_at_or_below(path, folder); });
}

/// Empty: where it leads is unknown.
std::vector<std::string> CommandFiles::paths(std::string_view text) const {
  std::vector<std::string> found;
  for (const auto& base : bases_) {
    auto path = resolver_.resolve(base.physical, text);
    if (!path) return {};
    found.push_back(*std::move(path));
  }
  return found;
}

bool CommandFiles::all_paths(std::string_view text, const Predicate& predicate) const {
  const auto found = paths(text);
  return !found.empty() && std::ranges::all_of(found, predicate);
}

bool CommandFiles::any_path(std::string_view text, const Predicate& predicate) const {
  const auto found = paths(text);
  if (found.empty() || std::ranges::any_of(found, predicate)) return true;
  return std::ranges::any_of(
      bases_, [&](const Base& base) { return predicate(logical_path(base.logical, text)); });
}

bool CommandFiles::is_folder(std::string_view text) const {
  return std::ranges::any_of(paths(text), [](const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  });
}

bool CommandFiles::any_below(std::string_view text, const Predicate& predicate) const {
  for (const auto& folder : paths(text)) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entries_left_ == 0 || predicate(entry->path())) return true;
      --entries_left_;
    }
    if (error) return true;
  }
  return false;
}

bool CommandFiles::matches_inside(const std::string& pattern) const {
  return std::ranges::all_of(bases_, [&](const Base& base) {
    const auto found = matching_paths(pattern, base.physical, entries_left_);
    return found && std::ranges::all_of(*found, [&](const fs::path& path) {
             if (is_taken_for_option(pattern, path, base.physical)) return false;
             const auto resolved = resolver_.resolve("/", path.string());
             return resolved && is_inside(*resolved);
           });
  });
}

/// For a command that names no files: the shell still expands wildcards.
bool CommandFiles::wildcards_inside(const ShellWord& word) const {
  if (word.literal) return true;
  if (word.pattern) return word.text.find_first_of("*?[") == word.text.npos || operand_inside(word);
  const std::string_view text = word.text;
  constexpr std::string_view kWild = "*?[";
  for (auto at = text.find_first_of(kWild); at != text.npos;
       at = text.find_first_of(kWild, at + 1)) {
    const bool status = text[at] == '?' && at > 0 && text[at - 1] == '$';
    if (!status) return false;
  }
  return true;
}

bool CommandFiles::operand_inside(const ShellWord& word) const {
  const auto inside = [&](const fs::path& path) { return is_inside(path.native()); };
  if (has_braces(word) || (!word.literal && !word.pattern)) return false;
  if (std::ranges::find(kHarmless, word.text) != kHarmless.end()) return true;
  if (!word.pattern) return all_paths(word.text, inside);
  return !word.quoted && !climbs_after_wildcard(word.text) &&
         all_paths(without_wildcards(word.text), inside) && matches_inside(word.text);
}

bool CommandFiles::reads_inside(const ShellCommand& command, const ReadingCommand& reading) const {
  if (lost_) return false;
  const auto inside = [&](const ShellWord& word) { return operand_inside(word); };
  if (!std::ranges::all_of(command.inputs, inside)) return false;
  if (!reading.names_files) {
    return std::ranges::all_of(command.words,
                               [&](const ShellWord& word) { return wildcards_inside(word); });
  }
  const auto leads_through_links = [&](const ShellWord& word) { return is_folder(word.text); };
  if (reading.follows_links && std::ranges::any_of(reading.files, leads_through_links))
    return false;
  return std::ranges::all_of(reading.files, inside);
}

/// Whether the path must not be moved or removed: a working directory, or one that commands may run in.
bool CommandFiles::must_stay(const std::string& path, FileCommand::Kind kind) const {
  const auto same = [&](const std::string& folder) { return folder == path; };
  const auto is_in = [&](const Base& base) { return is_at_or_below(base.physical, path); };
  if (kind == FileCommand::Kind::move) {
    return std::ranges::any_of(working_folders_, same) || std::ranges::any_of(bases_, is_in);
  }
  return kind == FileCommand::Kind::remove &&
         (std::ranges::any_of(working_folders_, same) || path == bases_.front().physical);
}

bool CommandFiles::may_change(std::string_view text, FileCommand::Kind kind) const {
  if (lost_) return false;
  return all_paths(text, [&](const fs::path& path) {
    return is_inside(path.native()) && !is_sensitive(path, folders_) && !must_stay(path, kind);
  });
}

bool CommandFiles::outputs_inside(const ShellCommand& command) const {
  return std::ranges::all_of(command.outputs, [&](const ShellWord& word) {
    return word.literal && may_change(word.text, FileCommand::Kind::make);
  });
}

}  // namespace ralph::permission

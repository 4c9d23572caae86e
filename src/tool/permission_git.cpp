#include "tool/permission_git.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tool/command_table.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSettings = std::size_t{1} << 20;

/// Names of settings, whatever their section, that start a program or lead to more settings or other files.
constexpr std::array<std::string_view, 14> kStarting{
    "fsmonitor", "textconv",     "external", "command",  "clean", "smudge",        "process",
    "program",   "partialclone", "promisor", "worktree", "path",  "showsignature", "gitproxy"};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// nullopt: it cannot be read, or is too long to be one of ours.
std::optional<std::string> text_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSettings, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() == kMaxSettings || file.bad()) return std::nullopt;
  return text;
}

void trim(std::string_view& text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
}

/// Behind "[section "name"]"; npos: it has no end.
std::size_t section_end(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ']' && !quoted) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

bool starts_something(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.ends_with("command") || std::ranges::find(kStarting, lower) != kStarting.end();
}

/// A line that is no setting counts as one that is not harmless.
bool is_harmless_line(std::string_view line) {
  trim(line);
  while (line.starts_with('[')) {
    const auto end = section_end(line);
    if (end == std::string_view::npos) return false;
    line.remove_prefix(end);
    trim(line);
  }
  if (line.empty() || line.front() == '#' || line.front() == ';') return true;
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  const auto end = std::ranges::find_if_not(line, is_name);
  const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  return !name.empty() && !starts_something(name);
}

bool is_harmless_file(const fs::path& settings) {
  if (!is_there(settings)) return true;
  const auto text = text_of(settings);
  if (!text) return false;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (!is_harmless_line(line)) return false;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return true;
}

/// What a file such as ".git" ("gitdir: x") or "commondir" leads to; empty: nowhere.
fs::path led_to(const fs::path& file, std::string_view before) {
  const auto text = text_of(file);
  if (!text || !text->starts_with(before)) return {};
  std::string_view path = std::string_view(*text).substr(before.size());
  trim(path);
  return path.empty() ? fs::path() : file.parent_path() / path;
}

bool is_harmless_repository(fs::path folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) folder = led_to(folder, "gitdir:");
  if (folder.empty()) return false;
  if (!is_harmless_file(folder / "config") || !is_harmless_file(folder / "config.worktree"))
    return false;
  if (!is_there(folder / "commondir")) return true;
  const auto common = led_to(folder / "commondir", "");
  return !common.empty() && is_harmless_file(common / "config");
}

bool looks_bare(const fs::path& folder) {
  return is_there(folder / "HEAD") &&
         (is_there(folder / "objects") || is_there(folder / "commondir"));
}

}  // namespace

bool git_only_looks(const fs::path& folder) {
  for (auto at = folder;; at = at.parent_path()) {
    if (looks_bare(at)) return false;
    if (is_there(at / ".git") && !is_harmless_repository(at / ".git")) return false;
    if (at == at.parent_path()) return true;
  }
}

bool makes_what_git_reads(const ShellLine& line) {
  const auto runs_git = [](const ShellCommand& command) {
    return !command.words.empty() && command.words[0].is("git");
  };
  if (std::ranges::none_of(line.commands, runs_git)) return false;
  const auto makes_repository = [](const ShellWord& word) {
    const auto name = fs::path(word.text).filename();
    return name == "HEAD" || name == "commondir";
  };
  return std::ranges::any_of(line.commands, [&](const ShellCommand& command) {
    return file_command(command) || std::ranges::any_of(command.outputs, makes_repository);
  });
}

}  // namespace ralph::tool

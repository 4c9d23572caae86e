#include "agent/permission/repository_check.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "agent/permission/command_options.h"
#include "agent/permission/file_commands.h"
#include "agent/permission/git_index.h"
#include "agent/permission/repository_config.h"
#include "core/base/path.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSettings = std::size_t{1} << 20;
constexpr std::size_t kMaxIndex = std::size_t{64} << 20;
constexpr std::size_t kMostRepositoryEntries = 20'000;
constexpr std::size_t kMostTracked = 100'000;  // directories with tracked files
constexpr int kMostRepositories = 64;
constexpr int kDeepest = 4;
/// Directories of a repository that read-only git commands do not use.
constexpr std::string_view kUnread = "hooks lfs annex";

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

/// nullopt: not readable, not a regular file, or too long.
std::optional<std::string> read_config(const fs::path& path, std::size_t most) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return std::nullopt;
  const auto size = fs::file_size(path, error);
  if (error || size >= most) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > size || file.bad()) return std::nullopt;
  return text;
}

/// The path in a file such as ".git" ("gitdir: x") or "commondir", resolved; empty: none.
fs::path read_pointer(const fs::path& file, std::string_view before) {
  const auto text = read_config(file, kMaxSettings);
  if (!text || !text->starts_with(before)) return {};
  auto path = trim_end(std::string_view(*text).substr(before.size()), "\r\n");
  path.remove_prefix(std::min(path.size(), path.find_first_not_of(" \t")));
  if (path.empty()) return {};
  std::error_code error;
  return fs::weakly_canonical(file.parent_path() / path, error);
}

bool looks_bare(const fs::path& folder) {
  return path_exists(folder / "HEAD") &&
         (path_exists(folder / "objects") || path_exists(folder / "commondir"));
}

class RepositoryCheck {
 public:
  explicit RepositoryCheck(const WorkingFolders& folders) : folders_(folders) {}

  /// `dot_git` is the ".git" of `worktree`.
  bool is_harmless(const fs::path& dot_git, const fs::path& worktree, int depth) {
    if (depth > kDeepest || ++repositories_ > kMostRepositories || is_link(dot_git)) return false;
    std::error_code error;
    auto folder = dot_git;
    if (!fs::is_directory(dot_git, error)) {
      folder = read_pointer(dot_git, "gitdir:");
      if (folder.empty() || !belongs_to(folder, worktree)) return false;
    }
    auto common = folder;
    if (path_exists(folder / "commondir")) {
      common = read_pointer(folder / "commondir", "");
      if (common.empty() || (is_inside(folder) && !is_inside(common))) return false;
    }
    return has_harmless_settings(folder, worktree) && has_harmless_settings(common, worktree) &&
           has_no_links(folder) && has_no_links(common) && uses_own_objects(common) &&
           index_is_harmless(folder, worktree, depth);
  }

 private:
  bool is_inside(const fs::path& path) const { return folders_.contains(path); }

  /// A git directory outside the working directories must name this worktree itself.
  bool belongs_to(const fs::path& folder, const fs::path& worktree) const {
    if (is_inside(folder)) return true;
    std::error_code error;
    const auto back = read_pointer(folder / "gitdir", "");
    if (!back.empty()) return fs::equivalent(back, worktree / ".git", error);
    const auto config = read_config(folder / "config", kMaxSettings);
    return config && check_config(*config, folder, worktree).names_worktree;
  }

  static bool has_harmless_settings(const fs::path& folder, const fs::path& worktree) {
    return std::ranges::all_of(std::array{"config", "config.worktree"}, [&](const char* name) {
      if (!path_exists(folder / name)) return true;
      const auto text = read_config(folder / name, kMaxSettings);
      return text && check_config(*text, folder, worktree).harmless;
    });
  }

  /// Links outside the working directories were made by the user and are allowed.
  bool has_no_links(const fs::path& folder) {
    if (!is_inside(folder)) return true;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const auto name = entry->path().filename().string();
      if (++entries_ > kMostRepositoryEntries) return false;
      const bool unread = entry.depth() == 0 && has_word(kUnread, name);
      const bool objects = name.size() == 2 && entry->path().parent_path().filename() == "objects";
      if (unread || objects) entry.disable_recursion_pending();
      if (!unread && entry->is_symlink(error)) return false;
    }
    return !error;
  }

  static bool uses_own_objects(const fs::path& common) {
    const auto alternates = common / "objects/info/alternates";
    std::error_code error;
    return !path_exists(alternates) || (fs::file_size(alternates, error) == 0 && !error);
  }

  /// "git grep" reads tracked files below a directory that was replaced by a link.
  bool has_no_linked_directories(const std::vector<std::string>& folders,
                                 const fs::path& worktree) {
    std::unordered_set<std::string_view> seen;
    for (const std::string_view folder : folders) {
      for (auto end = folder.size(); end != folder.npos; end = folder.rfind('/', end - 1)) {
        const auto path = folder.substr(0, end);
        if (path.empty() || !seen.insert(path).second) break;
        if (++tracked_ > kMostTracked || is_link(worktree / path)) return false;
      }
    }
    return true;
  }

  bool index_is_harmless(const fs::path& folder, const fs::path& worktree, int depth) {
    if (!path_exists(folder / "index")) return true;
    const auto index = read_config(folder / "index", kMaxIndex);
    const auto paths = index ? index_paths(*index) : std::nullopt;
    if (!paths || !has_no_linked_directories(paths->folders, worktree)) return false;
    return std::ranges::all_of(paths->submodules, [&](const std::string& path) {
      const auto submodule = worktree / path;
      if (!path_exists(submodule / ".git")) return !looks_bare(submodule);
      return is_harmless(submodule / ".git", submodule, depth + 1);
    });
  }

  const WorkingFolders& folders_;
  int repositories_ = 0;
  std::size_t entries_ = 0;
  std::size_t tracked_ = 0;
};

/// Whether git would most likely use it and search no further.
bool is_repository(const fs::path& dot_git) {
  return !is_link(dot_git) && path_exists(dot_git / "HEAD") && path_exists(dot_git / "objects") &&
         path_exists(dot_git / "refs");
}

bool runs(const ShellLine& line, std::string_view name) {
  return std::ranges::any_of(line.commands, [&](const ShellCommand& command) {
    return !command.words.empty() && command.words[0].is(name);
  });
}

}  // namespace

bool git_reads_safely(const fs::path& folder, const WorkingFolders& folders) {
  RepositoryCheck check(folders);
  for (auto at = folder;; at = at.parent_path()) {
    if (looks_bare(at)) return false;
    const auto dot_git = at / ".git";
    if (path_exists(dot_git) && !check.is_harmless(dot_git, at, 0)) return false;
    const auto above = at.parent_path();
    if (at == above || (is_repository(dot_git) && !folders.contains(above))) return true;
  }
}

bool runs_git_elsewhere(const ShellLine& line) { return runs(line, "cd") && runs(line, "git"); }

bool creates_repository_files(const ShellLine& line) {
  if (!runs(line, "git")) return false;
  const auto makes_repository = [](const ShellWord& word) {
    const auto name = fs::path(word.text).filename();
    return name == "HEAD" || name == "commondir";
  };
  return std::ranges::any_of(line.commands, [&](const ShellCommand& command) {
    return file_command(command) || std::ranges::any_of(command.outputs, makes_repository);
  });
}

}  // namespace ralph::permission

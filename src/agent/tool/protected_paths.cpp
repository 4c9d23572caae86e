#include "agent/tool/protected_paths.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/contains.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

/// Files and directories that shells, git, direnv, agents or ralph read commands from.
constexpr std::array<std::string_view, 6> kNames{".git",      ".claude",   ".ralph",
                                                 "ralph.yml", ".mcp.json", ".envrc"};
/// Protected only if they exist: too many for a placeholder each.
constexpr std::array<std::string_view, 5> kOnlyExisting{".vscode", ".idea", ".husky", ".gitmodules",
                                                        ".npmrc"};
/// Directories whose files are checked for further hard links.
constexpr std::array<std::string_view, 4> kWithFiles{".git", ".git/hooks", ".claude", ".ralph"};

constexpr std::size_t kMostEntriesProtected = 100'000;
constexpr std::size_t kDeepest = 4;
constexpr std::size_t kMostFilesChecked = 1000;

/// A link could be replaced; a file with another hard link could be changed through it.
Result<> require_single_name(const fs::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (S_ISLNK(status.st_mode)) {
    return fail(Code::unavailable,
                fmt::format("'{}' is a symbolic link, which commands could replace", path.string()),
                "replace the link with the file or directory itself");
  }
  if (S_ISREG(status.st_mode) && status.st_nlink > 1) {
    return fail(Code::unavailable,
                fmt::format("'{}' has another hard link, through which a command could change it",
                            path.string()),
                "replace it with a copy");
  }
  return {};
}

Result<> require_single_names(const fs::path& folder) {
  std::error_code error;
  std::size_t count = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++count > kMostFilesChecked) break;
    if (!entry->is_symlink(error)) TRY(require_single_name(entry->path()));
  }
  return {};
}

/// The outermost missing directory of the path, because a command that creates it could create everything below. The
/// path itself if it exists.
fs::path first_missing(fs::path path) {
  std::error_code error;
  while (!fs::exists(fs::symlink_status(path.parent_path(), error))) path = path.parent_path();
  return path;
}

bool lies_in(const fs::path& path, const std::set<fs::path>& folders) {
  for (auto at = path; at != at.parent_path(); at = at.parent_path()) {
    if (folders.contains(at)) return true;
  }
  return false;
}

std::unexpected<Error> too_many(const fs::path& folder) {
  return fail(Code::limit,
              fmt::format("there are more than {} files in the first levels of '{}': repositories "
                          "and settings among them cannot be protected",
                          kMostEntriesProtected, folder.string()),
              "use a smaller working directory, or allow the command with a rule");
}

Result<> add_below(const fs::path& folder, std::set<fs::path>& found) {
  struct Level {
    fs::path folder;
    std::size_t depth;
  };
  std::deque<Level> waiting{{folder, 0}};
  std::size_t looked_at = 0;
  while (!waiting.empty()) {
    const auto level = std::move(waiting.front());
    waiting.pop_front();
    std::error_code error;
    for (fs::directory_iterator
             entry(level.folder, fs::directory_options::skip_permission_denied, error),
         end;
         !error && entry != end; entry.increment(error)) {
      if (++looked_at > kMostEntriesProtected) return too_many(folder);
      std::error_code ignored;
      if (entry->is_symlink(ignored)) continue;
      const auto name = entry->path().filename().string();
      if (contains(kNames, name) || contains(kOnlyExisting, name)) {
        found.insert(entry->path());
      } else if (level.depth < kDeepest && entry->is_directory(ignored)) {
        waiting.push_back({entry->path(), level.depth + 1});
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<fs::path>> protected_paths(const Workspace& workspace) {
  auto folders = workspace.setup().directories;
  folders.push_back(workspace.setup().root);
  std::set<fs::path> found;
  for (const auto& folder : folders) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    for (const auto name : kNames) {
      TRY(require_single_name(folder / name));
      found.insert(folder / name);
    }
    for (const auto name : kWithFiles) TRY(require_single_names(folder / name));
    TRY(add_below(folder, found));
  }
  for (const auto& own : workspace.setup().own_folders) {
    if (!workspace.contains(own)) continue;
    TRY(require_single_name(own));
    if (auto path = first_missing(own); !lies_in(path, found)) found.insert(std::move(path));
  }
  return std::vector<fs::path>(found.begin(), found.end());
}

}  // namespace ralph::tool

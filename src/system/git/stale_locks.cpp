#include "system/git/stale_locks.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/path.h"
#include "system/git/old_files.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// Some process called "git" or "git-…" has its working directory in `root`.
bool git_works_in(const fs::path& root) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    if (!is_number(entry.path().filename().native())) continue;
    const auto name = read_file(entry.path() / "comm");
    if (!name || !(name->starts_with("git\n") || name->starts_with("git-"))) continue;
    std::error_code gone;
    const auto folder = fs::read_symlink(entry.path() / "cwd", gone);
    if (!gone && (folder == root || is_below(folder, root))) return true;
  }
  return error.operator bool();
}

}  // namespace

std::vector<fs::path> remove_stale_locks(const Program& git, const std::string& branch,
                                         UtcTime began) {
  std::vector<fs::path> removed;
  if (git_works_in(git.root())) return removed;
  for (const auto& name : {std::string("index"), std::string("HEAD"), branch}) {
    if (name.empty()) continue;
    auto path = git.ask({{"rev-parse", "--git-path", name + ".lock"}});
    if (!path) continue;
    path->erase(path->find_last_not_of('\n') + 1);
    const auto file = git.root() / *path;
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(file, error)) || born_before(file, began)) continue;
    if (fs::remove(file, error)) removed.push_back(file);
  }
  return removed;
}

}  // namespace ralph::git

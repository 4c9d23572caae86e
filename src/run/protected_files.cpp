#include "run/protected_files.h"

#include <array>

#include <fmt/core.h>

#include "base/file.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr auto kFiles = std::to_array<std::string_view>({
    "ralph.yml",
    ".envrc",
    ".mcp.json",
    ".claude",
    ".git/config.worktree",
    ".git/commondir",
});
/// A link counts, wherever it leads.
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

std::span<const std::string_view> protected_files() { return kFiles; }

MissingFiles::MissingFiles(fs::path workspace) : workspace_(std::move(workspace)) {
  std::error_code error;
  const bool repository = fs::is_directory(fs::symlink_status(workspace_ / ".git", error));
  without_git_ = !is_there(workspace_ / ".git");
  const auto missing = [&](std::string_view name) {
    return (repository || !name.starts_with(".git/")) && !is_there(workspace_ / name);
  };
  for (const auto name : kFiles) {
    if (missing(name)) missing_.emplace_back(name);
  }
}

std::vector<std::string> MissingFiles::move_created(const fs::path& folder) const {
  std::vector<std::string> told;
  std::error_code error;
  for (const auto& name : missing_) {
    if (!is_there(workspace_ / name)) continue;
    auto target = folder / fs::path(name).filename();
    const auto made = make_folders(folder);
    if (made) fs::rename(workspace_ / name, target, error);
    if (!made || error) {
      told.push_back(fmt::format(
          "the agent created '{}', which the sandbox protects, and it cannot be moved away: "
          "look at it before you run anything here",
          name));
    } else {
      told.push_back(
          fmt::format("the agent created '{}', which the sandbox protects: moved to '{}'", name,
                      target.native()));
    }
  }
  if (without_git_ && is_there(workspace_ / ".git")) {
    told.emplace_back(
        "the agent created the repository '.git': its settings can make git run programs; look at "
        "'.git/config' first");
  }
  return told;
}

}  // namespace ralph::run

#include "tool/sensitive_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kFolders{".git",  ".claude", ".vscode",
                                                   ".idea", ".husky",  ".ralph"};
constexpr std::array<std::string_view, 15> kFiles{
    ".gitconfig", ".gitmodules", ".bashrc",      ".bash_profile", ".profile",
    ".zshenv",    ".envrc",      ".zshrc",       ".zprofile",     ".ripgreprc",
    ".mcp.json",  ".npmrc",      ".claude.json", "ralph.yml",     "ralph.yaml"};

bool is_folder_name(const std::string& name) {
  return std::ranges::find(kFolders, name) != kFolders.end();
}

}  // namespace

bool is_sensitive_name(const std::string& name) {
  return is_folder_name(name) || std::ranges::find(kFiles, name) != kFiles.end();
}

bool is_sensitive(const fs::path& resolved, const Workspace& workspace) {
  const auto leads_through = [&](const fs::path& folder) {
    const auto relative = resolved.lexically_relative(folder);
    if (relative.empty() || *relative.begin() == "..") return false;
    return std::ranges::any_of(relative,
                               [](const fs::path& part) { return is_folder_name(part.string()); });
  };
  return leads_through(workspace.setup().root) ||
         std::ranges::any_of(workspace.setup().directories, leads_through) ||
         is_sensitive_name(resolved.filename().string());
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

}  // namespace ralph::tool

#include "agent/permission/sensitive_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/path.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kFolders{".git",   ".claude", ".vscode", ".idea",
                                                   ".husky", ".ralph",  ".ssh"};
constexpr auto kFiles = std::to_array<std::string_view>(
    {".gitconfig",    ".gitmodules", ".bashrc",   ".bash_profile", ".bash_login", ".bash_logout",
     ".bash_aliases", ".profile",    ".inputrc",  ".zshenv",       ".zshrc",      ".zprofile",
     ".zlogin",       ".zlogout",    ".envrc",    ".ripgreprc",    ".mcp.json",   ".npmrc",
     ".claude.json",  "ralph.yml",   "ralph.yaml"});
constexpr std::array<std::string_view, 2> kInConfig{"ralph", "git"};  // directories in .config

/// Ignores case, as some file systems do.
bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, to_lower(name)) != names.end();
}

bool leads_through_sensitive(const fs::path& relative) {
  std::string before;
  for (const auto& part : relative) {
    if (is_sensitive_name(part.string())) return true;
    if (before == ".config" && is_one_of(kInConfig, part.string())) return true;
    before = part.string();
  }
  return false;
}

/// In one of the own directories, or a directory that contains one: removing or moving it would affect the other.
bool is_own(const fs::path& resolved, const WorkingFolders& folders) {
  return std::ranges::any_of(folders.own_folders, [&](const fs::path& own) {
    if (!folders.contains(own)) return false;
    const bool holds = is_below(own, resolved) && folders.contains(resolved.parent_path());
    return holds || is_below(resolved, own);
  });
}

}  // namespace

bool is_sensitive_name(const std::string& name) {
  return is_one_of(kFolders, name) || is_one_of(kFiles, name);
}

bool is_sensitive(const fs::path& resolved, const WorkingFolders& folders) {
  const auto leads_through = [&](const fs::path& folder) {
    const auto relative = resolved.lexically_relative(folder);
    if (relative.empty() || *relative.begin() == "..") return false;
    return leads_through_sensitive(relative);
  };
  return leads_through(folders.root) || std::ranges::any_of(folders.directories, leads_through) ||
         is_sensitive_name(resolved.filename().string()) || is_own(resolved, folders);
}

bool is_surely_inside(const fs::path& resolved, const WorkingFolders& folders) {
  if (!folders.contains(resolved)) return false;
  fs::path start;
  for (const auto& part : resolved) {
    start /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(start, error))) return false;
  }
  return true;
}

}  // namespace ralph::permission

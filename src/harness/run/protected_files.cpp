#include "harness/run/protected_files.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "harness/backend/backend.h"
#include "harness/run/mounts_impl.h"
#include "harness/run/state_record.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestProtectedList = std::size_t{1} << 20;
constexpr int kMostCopies = 1000;

/// ConfigWatch keeps their content.
constexpr auto kWatched = std::to_array<std::string_view>({"ralph.yml", ".envrc"});
/// The steps of a rebase may be commands. One that the user began stays the user's.
constexpr std::string_view kRebase = ".git/rebase-merge";
/// Besides protected_files(): what git obeys, if it is a link.
constexpr auto kOfGit = std::to_array<std::string_view>(
    {".git", ".git/config", ".git/hooks", ".git/info", ".git/modules", ".git/worktrees"});

/// A directory that its owner may not write cannot be moved to another directory.
bool make_movable(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return fd && ::chmod(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), 0700) == 0;
}

fs::path sandbox_record(const fs::path& state, const fs::path& workspace) {
  return state / "sandbox" / (sha256_hex(workspace.native()) + ".json");
}

}  // namespace

std::span<const std::string_view> protected_files() {
  static const auto kAll = [] {
    std::vector<std::string_view> all(kWatched.begin(), kWatched.end());
    for (const auto* backend : backend::backends()) {
      for (const auto name : backend->obeyed_files) {
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
      }
    }
    all.insert(all.end(), {".git/config.worktree", ".git/commondir"});
    return all;
  }();
  return kAll;
}

ProtectedFiles::ProtectedFiles(const fs::path& workspace, const std::vector<fs::path>& more)
    : workspace_(real_path(workspace)) {
  std::error_code error;
  const bool repository = fs::is_directory(workspace_ / ".git", error);
  without_git_ = !path_exists(workspace_ / ".git");
  const auto look_at = [&](const std::string& name) {
    if (!repository && name.starts_with(".git/")) return;
    if (!fs::exists(workspace_ / name, error)) missing_.push_back(name);
    add_links(workspace_ / name);
  };
  for (const auto name : protected_files()) look_at(std::string(name));
  for (const auto& name : more) look_at(name.native());
  look_at(std::string(kRebase));
  for (const auto name : kOfGit) add_links(workspace_ / name);
}

/// The links in the workspace that a path leads through.
void ProtectedFiles::add_links(const fs::path& path) {
  for (const auto& link : resolve_links(path).links) {
    const bool known = std::ranges::find(links_, link, &Link::path) != links_.end();
    if (known || !is_below(link, workspace_)) continue;
    std::error_code error;
    links_.push_back({link, fs::read_symlink(link, error)});
  }
}

/// The new place; empty: it is still where it was.
std::string ProtectedFiles::move_away(const fs::path& path, const fs::path& folder) const {
  std::error_code error;
  if (!make_folders(folder)) return {};
  auto target = folder / path.filename();
  for (int i = 2; path_exists(target) && i < kMostCopies; ++i) {
    target = folder / fmt::format("{}.{}", path.filename().native(), i);
  }
  fs::rename(path, target, error);
  if (error && make_movable(path)) fs::rename(path, target, error);
  return error ? std::string() : target.native();
}

std::vector<std::string> ProtectedFiles::restore(const fs::path& folder) const {
  std::vector<std::string> told;
  std::error_code error;
  const auto tell_moved = [&](std::string_view name, std::string_view what,
                              const std::string& target) {
    told.push_back(target.empty()
                       ? fmt::format("the agent {} '{}', which the sandbox protects, and it cannot "
                                     "be moved away: look at it before you run anything here",
                                     what, name)
                       : fmt::format("the agent {} '{}', which the sandbox protects: moved to '{}'",
                                     what, name, target));
  };
  for (const auto& link : links_) {
    if (fs::is_symlink(link.path, error) && fs::read_symlink(link.path, error) == link.target) {
      continue;
    }
    const auto name = link.path.lexically_relative(workspace_).native();
    if (path_exists(link.path)) tell_moved(name, "replaced", move_away(link.path, folder));
    fs::create_symlink(link.target, link.path, error);
    told.push_back(
        error ? fmt::format("the link '{}' to '{}' cannot be put back: {}", name,
                            link.target.native(), error.message())
              : fmt::format("the link '{}' to '{}' was put back", name, link.target.native()));
  }
  for (const auto& name : missing_) {
    const bool link = std::ranges::find(links_, workspace_ / name, &Link::path) != links_.end();
    const auto path = link ? real_path(workspace_ / name) : workspace_ / name;
    if (!path_exists(path) || !is_below(path, workspace_)) continue;
    tell_moved(name, "created", move_away(path, folder));
  }
  if (without_git_ && path_exists(workspace_ / ".git")) {
    told.emplace_back(
        "the agent created the repository '.git': its settings can make git run programs; look at "
        "'.git/config' first");
  }
  return told;
}

Result<> ProtectedFiles::remember(const fs::path& state) {
  if (state.empty()) return {};
  auto record = json::Document::object();
  record["missing"] = json::Document::array();
  for (const auto& name : missing_) {
    if (std::ranges::find(kWatched, name) == kWatched.end()) record["missing"].push_back(name);
  }
  record["links"] = json::Document::array();
  for (const auto& link : links_) {
    record["links"].push_back({link.path.native(), link.target.native()});
  }
  TRY(make_state_folder(state, "sandbox"));
  record_ = sandbox_record(state, workspace_);
  return write_state_record(record_, json::write(record) + "\n");
}

ProtectedFiles::~ProtectedFiles() {
  if (!record_.empty()) ::unlink(record_.c_str());
}

std::vector<std::string> ProtectedFiles::recover(const fs::path& workspace, const fs::path& state,
                                                 const fs::path& folder) {
  ProtectedFiles before;
  before.workspace_ = real_path(workspace);
  const auto file = sandbox_record(state, before.workspace_);
  const auto text = state.empty() ? Result<std::string>() : read_file(file, kLargestProtectedList);
  if (!text || text->empty()) return {};
  const auto record = json::parse(*text);
  if (!record || !record->is_object()) return {};
  before.missing_ = json::texts(*record, "missing");
  for (const auto& link : record->value("links", json::Document::array())) {
    if (!link.is_array() || link.size() != 2 || !link[0].is_string() || !link[1].is_string())
      continue;
    before.links_.push_back({link[0].get<std::string>(), link[1].get<std::string>()});
  }
  before.record_ = file;  // restored once
  return before.restore(folder);
}

}  // namespace ralph::run

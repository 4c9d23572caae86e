#include "bench/grade/graded_files.h"

#include <filesystem>
#include <map>
#include <set>

#include "system/git/fields.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLinkMode = "120000 ";
constexpr std::string_view kSubmoduleMode = "160000 ";

/// What `git ls-tree` prints of each path: "100644 blob ID".
using Entries = std::map<std::string, std::string>;

git::Call with_objects(const Comparison& comparison, std::vector<std::string> words) {
  git::Call call{.words = std::move(words)};
  if (!comparison.worktree_objects.empty()) {
    call.env.push_back({"GIT_ALTERNATE_OBJECT_DIRECTORIES", comparison.worktree_objects.native()});
  }
  return call;
}

Result<Entries> entries_of(const Comparison& comparison, const std::string& tree) {
  Entries entries;
  if (tree.empty()) return entries;
  TRY_ASSIGN(const auto text,
             comparison.git.ask(with_objects(comparison, {"ls-tree", "-r", "-z", tree})));
  for (git::Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    const auto tab = field.find('\t');
    if (tab == field.npos || field.starts_with(kSubmoduleMode)) continue;
    entries.emplace(field.substr(tab + 1), field.substr(0, tab));
  }
  return entries;
}

/// The paths and patterns that come from the base.
class Protection {
 public:
  Protection(const Comparison& comparison, const git::PathGlobs& globs, const Entries& base)
      : comparison_(comparison), globs_(globs), base_(base) {}

  /// Follows the links among the protected files.
  Result<> follow_links() {
    std::vector<std::string> links;
    for (const auto& [path, entry] : base_) {
      if (entry.starts_with(kLinkMode) && covers(path)) links.push_back(path);
    }
    while (!links.empty()) {
      const auto link = std::move(links.back());
      links.pop_back();
      TRY_ASSIGN(const auto target, target_of(link));
      if (target.empty() || !targets_.insert(target).second) continue;
      for (auto at = base_.lower_bound(target); at != base_.end(); ++at) {
        if (!is_or_is_below(at->first, target)) break;
        if (at->second.starts_with(kLinkMode)) links.push_back(at->first);
      }
    }
    return {};
  }

  bool covers(const std::string& path) const {
    if (globs_.matches(path)) return true;
    for (auto at = fs::path(path); !at.empty(); at = at.parent_path()) {
      if (targets_.contains(at.native())) return true;
    }
    return false;
  }

 private:
  static bool is_or_is_below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
  }

  /// Empty: it leads out of the repository.
  Result<std::string> target_of(const std::string& link) const {
    const auto& entry = base_.at(link);
    const auto id = entry.substr(entry.rfind(' ') + 1);
    TRY_ASSIGN(const auto text,
               comparison_.git.ask(with_objects(comparison_, {"cat-file", "blob", id})));
    const auto target = (fs::path(link).parent_path() / text).lexically_normal();
    const bool inside =
        target.is_relative() && !target.empty() && *target.begin() != ".." && target != ".";
    auto path = inside ? target.native() : std::string();
    while (path.ends_with('/')) path.pop_back();
    return path;
  }

  const Comparison& comparison_;
  const git::PathGlobs& globs_;
  const Entries& base_;
  std::set<std::string> targets_;  // what links lead to: files, or directories with all below
};

/// A path of the agent's cannot stay where a protected one has a directory, or below a protected file.
void remove_obstacles(const Entries& kept, Entries& files, std::set<std::string>& changed) {
  for (const auto& [path, entry] : kept) {
    for (auto at = fs::path(path).parent_path(); !at.empty(); at = at.parent_path()) {
      if (kept.contains(at.native()) || files.erase(at.native()) == 0) continue;
      changed.insert(at.native());
    }
    const auto below = path + '/';
    for (auto at = files.lower_bound(below); at != files.end() && at->first.starts_with(below);) {
      changed.insert(path);
      at = files.erase(at);
    }
  }
}

}  // namespace

Result<GradedFiles> graded_files(const Comparison& comparison, const git::PathGlobs& protect,
                                 const std::string& never) {
  TRY_ASSIGN(const auto base, entries_of(comparison, comparison.base_tree));
  TRY_ASSIGN(const auto agents, entries_of(comparison, comparison.tree));
  TRY_ASSIGN(const auto ignored, entries_of(comparison, comparison.ignored_tree));
  Protection protection(comparison, protect, base);
  TRY(protection.follow_links());
  Entries kept, files;
  std::set<std::string> changed;
  for (const auto& [path, entry] : base) {
    if (!protection.covers(path)) continue;
    kept.emplace(path, entry);
    const auto now = agents.find(path);
    if (now == agents.end() || now->second != entry) changed.insert(path);
  }
  for (const auto& [path, entry] : agents) {
    if (!protection.covers(path)) {
      files.emplace(path, entry);
    } else if (!base.contains(path)) {
      changed.insert(path);
    }
  }
  // Builds change ignored files: these are those of the base, and that is all.
  for (const auto& [path, entry] : ignored) {
    if (protection.covers(path)) kept.emplace(path, entry);
  }
  remove_obstacles(kept, files, changed);
  files.merge(kept);
  GradedFiles graded;
  for (const auto& [path, entry] : files) {
    if (path == never) continue;
    graded.entries += entry + '\t' + path + '\0';
  }
  graded.changed = {changed.begin(), changed.end()};
  return graded;
}

}  // namespace ralph::grade

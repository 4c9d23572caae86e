#include "bench/grade/graded_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/core.h>

#include "system/git/fields.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLinkMode = "120000 ";
constexpr std::string_view kSubmoduleMode = "160000 ";

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
    for (const auto& [path, entry] : base_) {
      if (is_link(entry) && covers(path)) links_.push_back(path);
    }
    while (!links_.empty()) {
      const auto link = std::move(links_.back());
      links_.pop_back();
      TRY(follow(link));
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
  static constexpr int kMostLinks = 40;  // as the kernel

  /// Part by part: a directory on the way may be a link, which is protected too.
  Result<> follow(const fs::path& link) {
    fs::path at = link.parent_path();
    TRY_ASSIGN(std::vector<fs::path> parts, parts_of(link));
    for (int followed = 0; !parts.empty();) {
      const auto part = std::move(parts.back());
      parts.pop_back();
      if (part.empty() || part == ".") continue;
      if (part.is_absolute() || (part == ".." && at.empty())) return {};  // out of the repository
      if (part == "..") {
        at = at.parent_path();
        continue;
      }
      const auto next = at / part;
      const auto found = base_.find(next.native());
      if (found == base_.end() || !is_link(found->second)) {
        at = next;
        continue;
      }
      targets_.insert(next.native());
      if (++followed > kMostLinks) return {};
      TRY_ASSIGN(auto more, parts_of(next));
      parts.insert(parts.end(), more.begin(), more.end());
    }
    if (!at.empty()) protect(at.native());
    return {};
  }

  /// The parts of the path that a link holds, the last one first.
  Result<std::vector<fs::path>> parts_of(const fs::path& link) const {
    const auto& entry = base_.at(link.native());
    const auto id = entry.substr(entry.rfind(' ') + 1);
    TRY_ASSIGN(const auto text,
               comparison_.git.ask(with_objects(comparison_, {"cat-file", "blob", id})));
    const fs::path target(text);
    std::vector<fs::path> parts(target.begin(), target.end());
    std::ranges::reverse(parts);
    return parts;
  }

  void protect(const std::string& target) {
    if (!targets_.insert(target).second) return;
    const auto below = target + '/';
    for (auto at = base_.lower_bound(below); at != base_.end(); ++at) {
      if (!at->first.starts_with(below)) break;
      if (is_link(at->second)) links_.push_back(at->first);
    }
  }

  const Comparison& comparison_;
  const git::PathGlobs& globs_;
  const Entries& base_;
  std::set<std::string> targets_;   // what links lead to: files, or directories with all below
  std::vector<std::string> links_;  // to follow
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

constexpr std::uint64_t kLongestDiffed = std::uint64_t{32} << 20;

/// Sizes of the blobs and links of a tree, by path.
Result<std::map<std::string, std::uint64_t>> sizes_of(const Comparison& comparison,
                                                      const std::string& tree) {
  TRY_ASSIGN(const auto text,
             comparison.git.ask(with_objects(comparison, {"ls-tree", "-r", "-l", "-z", tree})));
  std::map<std::string, std::uint64_t> sizes;
  for (git::Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    const auto tab = field.find('\t');
    if (tab == field.npos) continue;
    const auto entry = field.substr(0, tab);
    const auto size = entry.substr(entry.rfind(' ') + 1);
    std::uint64_t value = 0;  // "-" of a submodule: 0
    std::from_chars(size.data(), size.data() + size.size(), value);
    sizes.emplace(field.substr(tab + 1), value);
  }
  return sizes;
}

}  // namespace

/// What was long before is compared as ever: the author of the case knows it.
Result<std::string> file_too_long_to_diff(const Comparison& comparison, const std::string& base) {
  TRY_ASSIGN(const auto before, sizes_of(comparison, base));
  TRY_ASSIGN(const auto after, sizes_of(comparison, comparison.tree));
  for (const auto& [path, size] : after) {
    const auto was = before.find(path);
    if (size <= kLongestDiffed || (was != before.end() && was->second >= size)) continue;
    return fmt::format("'{}' has {} bytes, and files are compared up to {}", path, size,
                       kLongestDiffed);
  }
  return "";
}

bool is_link(std::string_view entry) { return entry.starts_with(kLinkMode); }

Result<GradedFiles> graded_files(const Comparison& comparison, const git::PathGlobs& protect,
                                 const std::string& never) {
  TRY_ASSIGN(const auto base, entries_of(comparison, comparison.base_tree));
  TRY_ASSIGN(const auto agents, entries_of(comparison, comparison.tree));
  TRY_ASSIGN(const auto ignored, entries_of(comparison, comparison.ignored_tree));
  auto all = base;
  all.insert(ignored.begin(), ignored.end());
  Protection protection(comparison, protect, all);
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
  GradedFiles graded;
  graded.kept = kept;
  graded.kept.erase(never);
  // Builds change ignored files: these are those of the base, and that is all.
  for (const auto& [path, entry] : ignored) {
    if (protection.covers(path)) kept.emplace(path, entry);
  }
  remove_obstacles(kept, files, changed);
  files.merge(kept);
  for (const auto& [path, entry] : files) {
    if (path == never) continue;
    graded.entries += entry + '\t' + path + '\0';
  }
  graded.changed = {changed.begin(), changed.end()};
  return graded;
}

}  // namespace ralph::grade

#include "system/git/kept_files.h"

#include <algorithm>

#include <fmt/core.h>
#include <sys/stat.h>

#include "core/base/path.h"
#include "system/git/fields.h"
#include "system/git/index.h"
#include "system/git/keep_commit.h"
#include "system/git/old_files.h"
#include "system/git/position.h"
#include "system/git/tree_files.h"
#include "system/git/worktree.h"

namespace ralph::git {
namespace {

/// What git can store under the name of a file.
bool is_file(const std::filesystem::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode));
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (Fields fields(text); !fields.done();) names.emplace_back(fields.next());
  return names;
}

/// Of the files the directory holds at these paths; the others are those of `base`, where one is given.
Result<std::string> tree_of(const Program& git, std::vector<std::string> paths,
                            const std::string& base = {}) {
  std::erase_if(paths, [&](const std::string& path) { return !is_file(git.root() / path); });
  TRY_ASSIGN(const auto index, PrivateIndex::empty(git.git_folder()));
  if (!base.empty()) TRY(git.ask({{"read-tree", base}, {}, index.path()}));
  TRY(git.ask({{"update-index", "-z", "--add", "--replace", "--stdin"},
               zero_separated(paths),
               index.path()}));
  return write_tree(git, index.path());
}

Result<> write_missing(const Program& git, const std::string& from,
                       const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  TRY_ASSIGN(const auto index, PrivateIndex::empty(git.git_folder()));
  TRY(git.ask({{"read-tree", from}, {}, index.path()}));
  TRY(git.ask({{"checkout-index", "-q", "-z", "--stdin"}, zero_separated(paths), index.path()}));
  return {};
}

}  // namespace

Result<> keep_files(const Worktree& worktree, const std::vector<std::string>& paths,
                    std::string_view keep_as) {
  const auto& git = worktree.program();
  const auto ref = fmt::format("refs/ralph/{}", keep_as);
  TRY_ASSIGN(const auto known, read_commit(git, ref));
  TRY_ASSIGN(const auto tree, tree_of(git, paths, known));
  if (known.empty() && paths.empty()) return {};
  if (!known.empty()) {
    TRY_ASSIGN(const auto same, tree_differences(git, known, tree));
    if (same.empty()) return {};
  }
  TRY_ASSIGN(const auto commit,
             make_commit(git, tree, known.empty() ? std::vector<std::string>{} : std::vector{known},
                         fmt::format("ralph: files that are not committed\n\nKept at {}. 'git "
                                     "restore --source={} -- FILE' brings one back.\n",
                                     iso_utc(now_utc()), ref)));
  if (known.empty()) {
    TRY(keep_commit(git, ref, commit));
    return {};
  }
  TRY(git.ask({{"update-ref", "-m", "ralph: kept files", ref, commit, known}}));
  return {};
}

Result<KeptFiles> compare_kept_files(const Worktree& worktree, std::string_view kept_as) {
  const auto& git = worktree.program();
  KeptFiles result;
  TRY_ASSIGN(const auto commit, read_commit(git, fmt::format("refs/ralph/{}", kept_as)));
  if (commit.empty()) return result;
  TRY_ASSIGN(const auto text,
             git.ask({{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit}}));
  TRY_ASSIGN(const auto parents, git.ask({{"rev-list", "--parents", "-n1", commit}}));
  result.has_earlier = parents.contains(' ');
  result.all = names_in(text);
  const auto& names = result.all;
  TRY_ASSIGN(const auto now, tree_of(git, names));
  TRY_ASSIGN(const auto differences, tree_differences(git, commit, now));
  for (const auto& difference : differences) {
    if (std::ranges::find(names, difference.path) == names.end()) continue;
    const bool there = path_exists(git.root() / difference.path);
    (there ? result.changed : result.missing).push_back(difference.path);
  }
  return result;
}

Result<std::vector<std::string>> put_back_missing(const Worktree& worktree,
                                                  std::string_view kept_as,
                                                  const std::string& commit) {
  const auto& git = worktree.program();
  TRY(worktree.check_settings());
  TRY_ASSIGN(auto kept, compare_kept_files(worktree, kept_as));
  TRY(write_missing(git, fmt::format("refs/ralph/{}", kept_as), kept.missing));
  std::vector<std::string> left_out;
  for (const auto& path : worktree.left_out_paths()) {
    if (!path_exists(git.root() / path)) left_out.push_back(path);
  }
  if (left_out.empty() || commit.empty()) return kept.missing;
  TRY_ASSIGN(const auto known, paths_in_tree(git, commit, left_out));
  std::erase_if(left_out, [&](const std::string& path) { return !known.contains(path); });
  TRY(write_missing(git, commit, left_out));
  kept.missing.insert(kept.missing.end(), left_out.begin(), left_out.end());
  return kept.missing;
}

Result<std::vector<std::string>> new_ignored(const Worktree& worktree, UtcTime since) {
  const auto& git = worktree.program();
  TRY_ASSIGN(
      const auto text,
      git.ask({{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}}));
  auto paths = names_in(text);
  std::erase_if(paths, [&](const std::string& path) {
    return Entry{'!', '!', path}.ours() || born_before(git.root() / path, since);
  });
  return paths;
}

Result<std::vector<std::string>> Worktree::changed_left_out() const {
  std::vector<std::string> paths;
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(const auto entries, list_entries(git_, index.path()));
  for (const auto& entry : entries) {
    if (entry.staged != '?' && left_alone_.paths.contains(entry.path)) paths.push_back(entry.path);
  }
  return paths;
}

Result<std::vector<std::string>> Worktree::old_untracked() const {
  std::vector<std::string> paths;
  if (!left_alone_.before) return paths;
  auto by_name = left_alone_;
  by_name.before.reset();
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(auto all, list_entries(git_, index.path()));
  TRY(leave_out(git_, by_name, all));
  auto rest = all;
  TRY(leave_out(git_, left_alone_, rest));
  for (const auto& entry : all) {
    if (std::ranges::find(rest, entry) == rest.end()) paths.push_back(entry.path);
  }
  return paths;
}

}  // namespace ralph::git

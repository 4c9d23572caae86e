#include "cli/bench_base.h"

#include <cerrno>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <sys/stat.h>

#include "system/git/fields.h"
#include "system/git/git.h"

namespace ralph::cli {
namespace {

/// The files of the base commit, which count although a `.gitignore` names them.
Result<std::set<std::string>> tracked_files(const git::Program& git) {
  TRY_ASSIGN(const auto text, git.ask({.words = {"ls-files", "-z"}}));
  std::set<std::string> paths;
  for (git::Fields fields(text); !fields.done();) paths.emplace(fields.next());
  return paths;
}

}  // namespace

Result<FolderIdentity> FolderIdentity::of(const std::filesystem::path& folder) {
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0) {
    return fail_errno(errno, fmt::format("cannot read '{}'", folder.native()));
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(Code::permission, fmt::format("'{}' is not a directory", folder.native()));
  }
  return FolderIdentity{status.st_dev, status.st_ino};
}

Result<BenchBase> BenchBase::record(const trial::TestCase& test_case, const git::Program& git,
                                    const trial::Layout& layout, std::string commit) {
  auto own = git;
  own.pin(layout.modified, layout.modified / ".git");
  TRY_ASSIGN(const auto protect, grade::protected_paths(test_case.graders));
  TRY_ASSIGN(auto snapshots, trial::SnapshotStore::open(git, layout.modified,
                                                        layout.artifacts / ".ralph" / "grade.git"));
  TRY(snapshots.fix_ignored());
  if (snapshots.has_ignore_rules()) {
    TRY_ASSIGN(auto tracked, tracked_files(own));
    snapshots.add_tracked(std::move(tracked));
  }
  BenchBase base(std::move(snapshots), std::move(commit));
  TRY_ASSIGN(base.folder_, FolderIdentity::of(layout.modified));
  TRY_ASSIGN(base.tree_, base.snapshots_.take());
  TRY_ASSIGN(base.ignored_tree_, base.snapshots_.take_ignored(protect));
  if (!protect.empty()) {
    TRY_ASSIGN(const auto paths, base.paths());
    base.unmatched_ = grade::unmatched_patterns(test_case.graders, paths);
  }
  TRY(base.take_named_commits(test_case, own));
  TRY(base.snapshots_.seal());
  base.confinement_ = grade::find_confinement(test_case.graders);
  return base;
}

Result<std::vector<std::string>> BenchBase::paths() const {
  std::vector<std::string> paths;
  for (const auto& tree : {tree_, ignored_tree_}) {
    if (tree.empty()) continue;
    TRY_ASSIGN(const auto text,
               snapshots_.git().ask({.words = {"ls-tree", "-r", "--name-only", "-z", tree}}));
    for (git::Fields fields(text); !fields.done();) paths.emplace_back(fields.next());
  }
  return paths;
}

/// The agent can move a branch.
Result<> BenchBase::take_named_commits(const trial::TestCase& test_case, const git::Program& git) {
  for (const auto& grader : test_case.graders) {
    const auto names = grade::named_commits({&grader, 1});
    if (names.empty()) continue;
    const auto& name = names.front();
    const auto tree = git.ask_line(
        {.words = {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}"}});
    if (!tree) {
      missing_commits_.push_back({grader.path + ".base_commit",
                                  fmt::format("'{}' is not in the repository", name), grader.file,
                                  grader.line});
      continue;
    }
    TRY(snapshots_.import(*tree, git.git_folder() / "objects"));
    named_trees_[name] = *tree;
  }
  return {};
}

Result<> BenchBase::check() const {
  const auto& folder = snapshots_.git().root();
  const auto now = FolderIdentity::of(folder);
  if (now && *now == folder_) return snapshots_.check_seal();
  return fail(Code::permission,
              fmt::format("the agent's directory was replaced during the run: '{}' ({})",
                          folder.native(), now ? "another directory" : now.error().message),
              "run the agent with --sandbox");
}

Result<std::string> BenchBase::retake() {
  TRY(check());
  TRY_ASSIGN(auto tree, snapshots_.take());
  TRY(snapshots_.seal());
  return tree;
}

Result<grade::Comparison> BenchBase::compare() {
  TRY_ASSIGN(auto tree, retake());
  const auto head = git::read_head(snapshots_.git().root());
  return grade::Comparison{.git = snapshots_.git(),
                           .base_tree = tree_,
                           .tree = std::move(tree),
                           .base_commit = commit_,
                           .current_commit = head && *head ? (*head)->commit : "",
                           .ignored_tree = ignored_tree_,
                           .worktree_objects = {},
                           .named_trees = named_trees_,
                           .left_out = snapshots_.left_out()};
}

}  // namespace ralph::cli

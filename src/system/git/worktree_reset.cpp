// What takes changes away from the user's directory. All that is there is kept as a commit under refs/ralph/ first.
#include <algorithm>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/unique_fd.h"
#include "system/git/keep_commit.h"
#include "system/git/position.h"
#include "system/git/ref.h"
#include "system/git/snapshot.h"
#include "system/git/tree_files.h"
#include "system/git/worktree.h"

namespace ralph::git {
namespace {

constexpr int kMostKept = 1000;                                           // under one name
constexpr const char* kUnfinishedRef = "refs/worktree/ralph/unfinished";  // of this worktree alone
constexpr std::string_view kHeadLine = "\nRalph-Head: ";
constexpr std::string_view kBranchLine = "\nRalph-Branch: ";
constexpr std::string_view kConflictLine = "\nRalph-Conflicts: ";
constexpr std::string_view kDetached = "detached";

/// Of a line that begins like that; empty: there is none.
std::string value_of(std::string_view message, std::string_view line) {
  const auto at = message.find(line);
  if (at == message.npos) return {};
  const auto rest = message.substr(at + line.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

/// What a power cut must not take away is on the disk before anything else is touched.
void sync_disk(const std::filesystem::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::syncfs(fd.get());
}

/// Only from where it was: a commit made meanwhile stays on its branch.
Result<> move_ref(const Program& git, const std::string& ref, const std::string& to,
                  const std::string& from) {
  const auto was = from.empty() ? std::string(to.size(), '0') : from;
  TRY(git.ask({{"update-ref", "--no-deref", "-m", "ralph: go back", ref, to, was}}));
  return {};
}

}  // namespace

/// A place to go to. Refs are in full.
struct Worktree::Destination {
  std::string commit, branch;  // branch: empty for a detached HEAD
  std::string tree;            // of the directory
  std::string staged_tree;     // of the index
  std::string also, also_to;   // another branch that goes to that commit; empty: none
};

namespace {

struct Tips {
  std::string branch, also;  // where the branches are that will move; empty: they do not exist
};

/// A merge that is not finished, and the tips of branches that will move: what only HEAD's history would not keep.
std::vector<std::string> further_parents(const Position& position, const Tips& tips) {
  std::vector<std::string> parents;
  const auto add = [&](const std::string& commit) {
    if (commit.empty() || commit == position.head) return;
    if (std::ranges::find(parents, commit) == parents.end()) parents.push_back(commit);
  };
  add(tips.branch);
  add(tips.also);
  for (const auto& commit : position.merged) add(commit);
  return parents;
}

std::string kept_message(const Position& position, const std::string& name,
                         const std::string& branch, const std::string& tip, bool conflicts) {
  auto text = fmt::format(
      "ralph: kept as {}\n\nKept at {}, before files were changed. The tree is what the directory "
      "held, that of the\nsecond parent what was staged. 'ralph undo --restore REF' goes back to "
      "it, 'git stash apply --index REF'\napplies it.\n{}{}",
      name, iso_utc(now_utc()), kHeadLine, position.branch.empty() ? kDetached : position.branch);
  if (!branch.empty() && branch != position.branch && !tip.empty()) {
    text += fmt::format("{}{} {}", kBranchLine, branch, tip);
  }
  if (conflicts) {
    text += fmt::format("{}yes, below {}/ in the second parent", kConflictLine, kConflicts);
  }
  return text + "\n";
}

Result<Tips> read_tips(const Program& git, const Position& position, const std::string& branch,
                       const std::string& also) {
  Tips tips;
  if (branch.empty()) {
    tips.branch = position.head;
  } else {
    TRY_ASSIGN(tips.branch, read_commit(git, branch));
  }
  if (!also.empty()) {
    TRY_ASSIGN(tips.also, read_commit(git, also));
  }
  return tips;
}

/// The paths that a tree has.
Result<std::vector<std::string>> paths_of(const Program& git, const std::string& tree) {
  TRY_ASSIGN(const auto text, git.ask({{"ls-tree", "-r", "-z", "--name-only", tree}}));
  std::vector<std::string> paths;
  for (Fields fields(text); !fields.done();) paths.emplace_back(fields.next());
  return paths;
}

/// As git makes one: its parents are where it was made, what was in the index, and the untracked files if there are any.
/// Changes that flags hide are not in it: they stay in the directory.
Result<std::string> stash_commit(const Program& git, const Snapshot& snapshot,
                                 const std::string& head, std::string_view message) {
  TRY_ASSIGN(const auto index, make_commit(git, snapshot.staged_tree, {head}, message));
  TRY_ASSIGN(const auto changes,
             tree_differences(git, snapshot.staged_tree, snapshot.visible_tree));
  std::vector<std::string> untracked;
  for (const auto& change : changes) {
    if (change.old_mode == 0) untracked.push_back(change.path);
  }
  if (untracked.empty()) return make_commit(git, snapshot.visible_tree, {head, index}, message);
  TRY_ASSIGN(const auto tracked_paths, paths_of(git, snapshot.staged_tree));
  TRY_ASSIGN(const auto others, tree_without(git, snapshot.visible_tree, tracked_paths));
  TRY_ASSIGN(const auto tracked, tree_without(git, snapshot.visible_tree, untracked));
  TRY_ASSIGN(const auto untracked_files, make_commit(git, others, {}, message));
  return make_commit(git, tracked, {head, index, untracked_files}, message);
}

}  // namespace

/// A commit that holds all that is there; HEAD itself where that is all.
Result<std::string> Worktree::make_kept(const Position& position, const Snapshot& snapshot,
                                        const Destination& to, const std::string& name,
                                        const std::string& branch_tip,
                                        const std::vector<std::string>& further) const {
  const auto base = position.head.empty() ? to.commit : position.head;
  TRY_ASSIGN(const auto tree, git_.ask_line({{"rev-parse", "--verify", base + "^{tree}"}}));
  const bool clean = snapshot.tree == tree && snapshot.staged_tree == tree;
  if (clean && further.empty() && !position.head.empty() && position.branch == to.branch) {
    return position.head;
  }
  const auto message = kept_message(position, name, to.branch, branch_tip, snapshot.conflicts);
  std::vector<std::string> parents{base};
  parents.insert(parents.end(), further.begin(), further.end());
  TRY_ASSIGN(const auto staged, make_commit(git_, snapshot.staged_tree, parents, message));
  return make_commit(git_, snapshot.tree, {base, staged}, message);
}

Result<std::string> keep_commit(const Program& git, const std::string& name,
                                const std::string& commit) {
  const std::string none(commit.size(), '0');
  for (int number = 1; number <= kMostKept; ++number) {
    const auto ref = number == 1 ? name : fmt::format("{}-{}", name, number);
    TRY_ASSIGN(const auto taken, git.run({{"rev-parse", "--verify", "--quiet", ref}}));
    if (taken.ok()) continue;
    TRY(git.ask(
        {{"update-ref", "--create-reflog", "-m", "ralph: before a reset", ref, commit, none}}));
    sync_disk(git.git_folder());
    return ref;
  }
  return fail(Code::limit, fmt::format("'{}' and {} more names are in use", name, kMostKept - 1),
              "delete some: git update-ref -d REF");
}

/// Files first, then refs, then the index: a commit is never where its files are not known to git.
Result<> Worktree::arrive(const Destination& to, const Position& from, const Snapshot& snapshot,
                          const Move& move, const std::string& branch_tip,
                          const std::string& also_tip) const {
  TRY(run_move(git_, snapshot, move));
  const auto ref = to.branch.empty() ? std::string("HEAD") : to.branch;
  if (branch_tip != to.commit || to.branch.empty()) {
    TRY(move_ref(git_, ref, to.commit, branch_tip));
  }
  if (!to.branch.empty() && from.branch != to.branch) {
    TRY(git_.ask({{"symbolic-ref", "-m", "ralph: go back", "HEAD", to.branch}}));
  }
  if (!to.also.empty() && also_tip != to.also_to) {
    TRY(move_ref(git_, to.also, to.also_to, also_tip));
  }
  // Ends a merge, too.
  TRY(git_.ask({{"reset", "--quiet", "--mixed", "HEAD", "--"}}));
  TRY_ASSIGN(const auto tree, git_.ask_line({{"rev-parse", "--verify", "HEAD^{tree}"}}));
  if (tree != to.staged_tree) TRY(git_.ask({{"read-tree", "--reset", to.staged_tree}}));
  TRY(git_.run({{"update-index", "-q", "--refresh"}}));
  return set_flags(git_, snapshot.flags);
}

Result<std::string> Worktree::go_to(const Destination& to, const std::string& name,
                                    std::vector<std::string>* replaced) const {
  TRY(check_settings());
  TRY(refuse_unfinished(git_, Reset::yes));
  TRY(refuse_locked(git_));
  TRY(refuse_unsafe_branch(git_, to.branch));
  TRY_ASSIGN(const auto position, read_position(git_));
  TRY_ASSIGN(const auto tips, read_tips(git_, position, to.branch, to.also));
  TRY_ASSIGN(auto snapshot, take_snapshot(git_, *known_, left_alone_));
  TRY_ASSIGN(auto move, plan_move(git_, snapshot, left_alone_, to.tree));
  const auto further = further_parents(position, tips);
  TRY_ASSIGN(const auto commit, make_kept(position, snapshot, to, name, tips.branch, further));
  TRY_ASSIGN(auto ref, keep_commit(git_, name, commit));
  TRY(git_.ask({{"update-ref", "-m", "ralph: begins", kUnfinishedRef, commit}}));
  if (auto done = arrive(to, position, snapshot, move, tips.branch, tips.also); !done) {
    done.error().message += fmt::format("; what was there is kept in {}", ref);
    done.error().hint = fmt::format("{}{}to go back to it: ralph undo --restore {}",
                                    done.error().hint, done.error().hint.empty() ? "" : "; ", ref);
    return std::unexpected(done.error());
  }
  TRY(git_.ask({{"update-ref", "-d", kUnfinishedRef}}));
  if (replaced != nullptr) *replaced = std::move(move.replaced);
  return ref;
}

Result<std::string> Worktree::interrupted() const {
  TRY_ASSIGN(const auto commit, read_commit(git_, kUnfinishedRef));
  if (commit.empty()) return std::string();
  TRY_ASSIGN(const auto refs, git_.ask({{"for-each-ref", "--points-at", commit,
                                         "--format=%(refname)", "--sort=-refname", "refs/ralph"}}));
  for (std::string_view rest = refs; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto ref = rest.substr(0, end);
    if (ref != kUnfinishedRef) return std::string(ref);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::string(kUnfinishedRef);
}

Result<std::string> Worktree::reset_to(std::string_view commit, std::string_view keep_as,
                                       std::string_view branch,
                                       std::vector<std::string>* replaced) const {
  const auto ref = "refs/ralph/" + std::string(keep_as);
  if (!is_commit_id(commit) || !is_ref_name(ref) || !(branch.empty() || is_ref_name(branch))) {
    return fail(Code::usage,
                fmt::format("'{}' is not a commit id, or '{}' or '{}' is not a ref name", commit,
                            ref, branch));
  }
  Destination to;
  TRY_ASSIGN(to.commit,
             git_.ask_line({{"rev-parse", "--verify", std::string(commit) + "^{commit}"}}));
  to.branch = branch;
  TRY_ASSIGN(to.tree, git_.ask_line({{"rev-parse", "--verify", to.commit + "^{tree}"}}));
  to.staged_tree = to.tree;
  return go_to(to, ref, replaced);
}

/// A kept commit that is HEAD of its time has no lines of ours in its message.
Result<Worktree::Destination> Worktree::destination_of(const std::string& commit) const {
  Destination to;
  TRY_ASSIGN(const auto message,
             git_.ask({{"rev-list", "--max-count=1", "--format=%B", commit, "--"}}));
  TRY_ASSIGN(to.tree, git_.ask_line({{"rev-parse", "--verify", commit + "^{tree}"}}));
  const auto head = value_of(message, kHeadLine);
  if (head.empty()) {
    to.commit = commit;
    to.staged_tree = to.tree;
    TRY_ASSIGN(to.branch, branch());
    return to;
  }
  to.branch = head == kDetached ? "" : head;
  TRY_ASSIGN(to.commit, git_.ask_line({{"rev-parse", "--verify", commit + "^1"}}));
  const auto* staged = value_of(message, kConflictLine).empty() ? "^2^{tree}" : "^1^{tree}";
  TRY_ASSIGN(to.staged_tree, git_.ask_line({{"rev-parse", "--verify", commit + staged}}));
  const auto moved = value_of(message, kBranchLine);
  if (const auto space = moved.find(' '); space != moved.npos) {
    to.also = moved.substr(0, space);
    to.also_to = moved.substr(space + 1);
  }
  const auto is_branch = [](const std::string& name) {
    return name.empty() || (is_ref_name(name) && name.starts_with("refs/heads/"));
  };
  if (is_branch(to.branch) && is_branch(to.also) && (to.also.empty() || is_commit_id(to.also_to))) {
    return to;
  }
  return fail(Code::malformed, fmt::format("the message of {} names no branch", commit),
              "ralph did not create it; try 'git stash apply --index'");
}

Result<std::string> Worktree::restore(std::string_view ref, std::string_view keep_as) const {
  constexpr std::string_view kOurs = "refs/ralph/";
  const auto keep_ref = fmt::format("{}{}", kOurs, keep_as);
  const auto name = ref.starts_with("refs/") ? std::string(ref) : fmt::format("{}{}", kOurs, ref);
  if (!is_ref_name(name) || !is_ref_name(keep_ref)) {
    return fail(Code::usage, fmt::format("'{}' is not a valid ref name", ref),
                "'git for-each-ref refs/ralph' lists what is kept");
  }
  TRY_ASSIGN(const auto commit, read_commit(git_, name));
  if (commit.empty() || !name.starts_with(kOurs)) {
    return fail(Code::not_found, fmt::format("nothing is kept in {}", name),
                "'git for-each-ref refs/ralph' lists what is kept");
  }
  TRY_ASSIGN(const auto to, destination_of(commit));
  return go_to(to, keep_ref, nullptr);
}

Result<bool> Worktree::stash(std::string_view message, std::string_view keep_as) const {
  TRY(check_settings());
  TRY(ready());
  TRY(refuse_locked(git_));
  TRY_ASSIGN(const auto entries, this->entries());
  TRY(refuse_unmerged(entries));
  if (std::ranges::all_of(entries, &Entry::ours)) return false;
  TRY_ASSIGN(const auto head, this->head());
  if (head.empty()) {
    return fail(Code::usage,
                fmt::format("'{}' has no commit yet: git keeps no stash there", root().native()),
                "make a first commit");
  }
  TRY_ASSIGN(const auto snapshot, take_snapshot(git_, *known_, left_alone_));
  TRY_ASSIGN(const auto kept, stash_commit(git_, snapshot, head, message));
  TRY(git_.ask({{"stash", "store", "--quiet", "--message", message_text(message), kept}}));
  TRY_ASSIGN(const auto branch, this->branch());
  TRY(reset_to(head, keep_as, branch));
  return true;
}

Result<bool> Worktree::unstash(std::string_view message) const {
  const auto entry = stash_entry(message);
  if (entry.empty()) return false;
  TRY_ASSIGN(const auto changed, dirty());
  if (!changed.empty()) return false;
  TRY(git_.ask({{"stash", "pop", "--index", "--quiet", entry}}));
  return true;
}

}  // namespace ralph::git

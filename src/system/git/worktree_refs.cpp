#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "system/git/fields.h"
#include "system/git/folder_scan.h"
#include "system/git/keep_commit.h"
#include "system/git/kept_refs.h"
#include "system/git/position.h"
#include "system/git/ref.h"
#include "system/git/snapshot.h"
#include "system/git/worktree.h"

namespace ralph::git {
namespace {

constexpr std::size_t kMostParents = 500;  // of one commit; further ones are in another before it
constexpr std::size_t kMostRefs = 20'000;
constexpr std::string_view kLine = "Ralph-Ref: ";

/// Lines of "ID NAME"; of those with a prefix the rest.
void add_values(std::string_view text, std::string_view prefix, std::vector<RefValue>& values) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    line.remove_prefix(line.starts_with(prefix) ? prefix.size() : line.size());
    const auto space = line.find(' ');
    if (space != line.npos && is_commit_id(line.substr(0, space))) {
      values.push_back({std::string(line.substr(space + 1)), std::string(line.substr(0, space))});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// A detached HEAD, each stash, then branches and tags, the newest first. An annotated tag is its own object, not the
/// commit.
Result<std::vector<RefValue>> read_refs(const Program& git) {
  std::vector<RefValue> values;
  TRY_ASSIGN(const auto branch, read_branch(git));
  TRY_ASSIGN(const auto head, read_commit(git, "HEAD"));
  if (branch.empty() && !head.empty()) values.push_back({"HEAD", head});
  TRY_ASSIGN(const auto refs,
             git.ask({{"for-each-ref", "--sort=-creatordate", "--format=%(objectname) %(refname)",
                       "refs/heads", "refs/tags"}}));
  const auto stashes = git.run({{"reflog", "show", "--format=%H %gD", "refs/stash"}});
  if (stashes && stashes->ok()) add_values(stashes->out, "", values);
  add_values(refs, "", values);
  return values;
}

/// What refs lead to, each object once.
struct Targets {
  std::vector<std::string> commits;
  std::set<std::string> tags;  // annotated ones
};

/// What is damaged, or leads to no commit, is left out.
Result<Targets> targets_of(const Program& git, const std::vector<RefValue>& values) {
  std::string ids;
  for (const auto& value : values) ids += fmt::format("{0}\n{0}^{{commit}}\n", value.commit);
  TRY_ASSIGN(const auto text,
             git.ask({{"cat-file", "--batch-check=%(objectname) %(objecttype)"}, ids}));
  std::vector<RefValue> typed;
  add_values(text, "", typed);
  Targets targets;
  std::set<std::string> known;
  for (const auto& [type, id] : typed) {
    if (type == "tag") targets.tags.insert(id);
    if (type == "commit" && known.insert(id).second) targets.commits.push_back(id);
  }
  return targets;
}

/// Nothing but a ref can lead to an annotated tag.
std::string tag_folder(std::string_view keep_as) {
  return fmt::format("refs/ralph/tags-{}/", keep_as);
}

Result<> keep_tags(const Program& git, std::string_view keep_as,
                   const std::set<std::string>& tags) {
  if (tags.empty()) return {};
  std::string lines;
  for (const auto& id : tags) lines += fmt::format("update {}{} {}\n", tag_folder(keep_as), id, id);
  TRY(git.ask({{"update-ref", "--stdin"}, lines}));
  return {};
}

/// Of these commits, those that no ref but ours leads to.
Result<std::set<std::string>> only_kept(const Program& git,
                                        const std::vector<std::string>& commits) {
  std::set<std::string> found;
  if (commits.empty()) return found;
  std::string ids;
  for (const auto& commit : commits) ids += commit + "\n";
  TRY_ASSIGN(const auto text,
             git.ask({{"rev-list", "--stdin", "--not", "--exclude=refs/ralph/*",
                       "--exclude=refs/ralph/**", "--exclude=refs/worktree/ralph/*", "--all"},
                      ids}));
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    found.emplace(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return found;
}

}  // namespace

Result<> drop_kept_refs(const Worktree& worktree, std::string_view kept_as) {
  const auto& git = worktree.program();
  TRY(git.ask({{"update-ref", "-d", fmt::format("refs/ralph/{}", kept_as)}}));
  TRY_ASSIGN(const auto lines,
             git.ask({{"for-each-ref", "--format=delete %(refname)", tag_folder(kept_as)}}));
  if (!lines.empty()) TRY(git.ask({{"update-ref", "--stdin"}, lines}));
  return {};
}

Result<> keep_refs(const Worktree& worktree, std::string_view keep_as) {
  const auto& git = worktree.program();
  TRY_ASSIGN(const auto known, read_commit(git, fmt::format("refs/ralph/{}", keep_as)));
  if (!known.empty()) return {};
  TRY_ASSIGN(auto values, read_refs(git));
  const auto count = values.size();
  if (count > kMostRefs) values.resize(kMostRefs);
  if (values.empty()) return {};
  TRY_ASSIGN(const auto targets, targets_of(git, values));
  const auto& commits = targets.commits;
  if (commits.empty()) return {};
  std::string message = fmt::format(
      "ralph: refs at the start\n\nKept at {}. 'git update-ref NAME ID' brings a branch or a tag "
      "back, 'git stash store ID' a stash.\n\n",
      iso_utc(now_utc()));
  for (const auto& value : values) {
    message += fmt::format("{}{} {}\n", kLine, value.commit, value.ref);
  }
  std::string last;
  for (std::size_t at = 0; at < commits.size(); at += kMostParents) {
    const auto end = std::min(at + kMostParents, commits.size());
    std::vector<std::string> parents(commits.begin() + static_cast<std::ptrdiff_t>(at),
                                     commits.begin() + static_cast<std::ptrdiff_t>(end));
    if (!last.empty()) parents.push_back(last);
    TRY_ASSIGN(last, make_commit(git, commits.front() + "^{tree}", parents,
                                 end == commits.size() ? message : "ralph: refs at the start\n"));
  }
  TRY(keep_tags(git, keep_as, targets.tags));
  TRY(keep_commit(git, fmt::format("refs/ralph/{}", keep_as), last));
  if (count <= kMostRefs) return {};
  return fail(Code::limit, fmt::format("there are {} of them, and only the newest {} are kept",
                                       count, kMostRefs));
}

Result<std::vector<RefValue>> lost_refs(const Worktree& worktree, std::string_view kept_as) {
  const auto& git = worktree.program();
  std::vector<RefValue> kept;
  TRY(worktree.refuse_blocking());
  TRY_ASSIGN(const auto commit, read_commit(git, fmt::format("refs/ralph/{}", kept_as)));
  if (commit.empty()) return kept;
  TRY_ASSIGN(const auto message,
             git.ask({{"rev-list", "--max-count=1", "--format=%B", commit, "--"}}));
  add_values(message, kLine, kept);
  TRY_ASSIGN(const auto present, read_refs(git));
  std::set<std::string_view> reached;
  for (const auto& value : present) reached.insert(value.commit);
  std::erase_if(kept, [&](const RefValue& value) { return reached.contains(value.commit); });
  if (kept.empty()) return kept;
  TRY_ASSIGN(const auto targets, targets_of(git, kept));
  TRY_ASSIGN(const auto alone, only_kept(git, targets.commits));
  std::erase_if(kept, [&](const RefValue& value) {
    return !alone.contains(value.commit) && !targets.tags.contains(value.commit);
  });
  return kept;
}

std::string Worktree::stash_entry(std::string_view message) const {
  if (!refuse_blocking()) return {};
  const auto list = git_.run({{"reflog", "show", "--format=%gs", "refs/stash"}});
  if (!list || !list->ok()) return {};
  std::string found;
  std::string_view rest = list->out;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const auto end = std::min(rest.find('\n'), rest.size());
    if (rest.substr(0, end) == message) found = fmt::format("stash@{{{}}}", i);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return found;
}

Result<> Worktree::keep_staged(const std::vector<Entry>& entries) const {
  const bool differs = std::ranges::any_of(entries, [](const Entry& entry) {
    return entry.staged != ' ' && entry.staged != '?' && entry.staged != 'D' && entry.to_take();
  });
  if (!differs) return {};
  TRY_ASSIGN(const auto snapshot, take_snapshot(git_, *known_, left_alone_));
  TRY_ASSIGN(const auto head, this->head());
  std::vector<std::string> parents;
  if (!head.empty()) parents.push_back(head);
  TRY_ASSIGN(const auto commit,
             make_commit(git_, snapshot.staged_tree, parents,
                         fmt::format("ralph: what was staged and changed again, {}\n",
                                     iso_utc(now_utc()))));
  TRY(keep_commit(git_, "refs/ralph/staged-" + compact_utc(now_utc()), commit));
  return {};
}

}  // namespace ralph::git

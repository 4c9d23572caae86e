// Refs that an agent could delete or move.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "git/fields.h"
#include "git/position.h"
#include "git/ref.h"
#include "git/snapshot.h"
#include "git/work.h"

namespace ralph::git {
namespace {

constexpr std::size_t kMostParents = 500;
constexpr std::size_t kMostLookedAt = 50;  // each costs a call of git
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

/// Each stash, then branches and tags, the newest first.
Result<std::vector<RefValue>> read_refs(const Program& git) {
  const std::string format =
      "--format=%(if:equals=tag)%(objecttype)%(then)%(*objectname)%(else)%(objectname)%(end) "
      "%(refname)";
  std::vector<RefValue> values;
  TRY_ASSIGN(const auto refs, git.ask({{"for-each-ref", "--sort=-creatordate", "--count=5000",
                                        format, "refs/heads", "refs/tags"}}));
  const auto stashes = git.run({{"reflog", "show", "--format=%H %gD", "refs/stash"}});
  if (stashes && stashes->ok()) add_values(stashes->out, "", values);
  add_values(refs, "", values);
  return values;
}

/// One that is no commit, or is damaged, cannot be a parent.
Result<std::vector<std::string>> commits_of(const Program& git,
                                            const std::vector<RefValue>& values) {
  std::string ids;
  for (const auto& value : values) ids += value.commit + "\n";
  TRY_ASSIGN(const auto text,
             git.ask({{"cat-file", "--batch-check=%(objectname) %(objecttype)"}, ids}));
  std::vector<RefValue> typed;
  add_values(text, "", typed);
  std::vector<std::string> commits;
  for (const auto& value : typed) {
    if (value.ref == "commit" && std::ranges::find(commits, value.commit) == commits.end()) {
      commits.push_back(value.commit);
    }
    if (commits.size() == kMostParents) break;
  }
  return commits;
}

}  // namespace

Result<> Work::drop_kept_refs(std::string_view kept_as) const {
  TRY(git_.ask({{"update-ref", "-d", fmt::format("refs/ralph/{}", kept_as)}}));
  return {};
}

Result<> Work::keep_refs(std::string_view keep_as) const {
  TRY_ASSIGN(const auto known, read_commit(git_, fmt::format("refs/ralph/{}", keep_as)));
  if (!known.empty()) return {};
  TRY_ASSIGN(const auto values, read_refs(git_));
  if (values.empty()) return {};
  TRY_ASSIGN(const auto commits, commits_of(git_, values));
  if (commits.empty()) return {};
  std::string message = fmt::format(
      "ralph: refs at the start\n\nKept at {}. 'git branch NAME ID' brings a branch back, 'git tag "
      "NAME ID' a tag, 'git stash store ID'\na stash.\n\n",
      iso_utc(now_utc()));
  for (const auto& value : values) {
    message += fmt::format("{}{} {}\n", kLine, value.commit, value.ref);
  }
  TRY_ASSIGN(const auto commit, make_commit(commits.front() + "^{tree}", commits, message));
  TRY(keep(fmt::format("refs/ralph/{}", keep_as), commit));
  return {};
}

Result<std::vector<RefValue>> Work::lost_refs(std::string_view kept_as) const {
  std::vector<RefValue> kept, lost;
  TRY_ASSIGN(const auto commit, read_commit(git_, fmt::format("refs/ralph/{}", kept_as)));
  if (commit.empty()) return lost;
  TRY_ASSIGN(const auto message,
             git_.ask({{"rev-list", "--max-count=1", "--format=%B", commit, "--"}}));
  add_values(message, kLine, kept);
  TRY_ASSIGN(const auto present, read_refs(git_));
  std::set<std::string_view> reached;
  for (const auto& value : present) reached.insert(value.commit);
  std::size_t looked_at = 0;
  for (const auto& value : kept) {
    if (reached.contains(value.commit) || ++looked_at > kMostLookedAt) continue;
    TRY_ASSIGN(const auto alone,
               git_.ask({{"rev-list", "--max-count=1", value.commit, "--not",
                          "--exclude=refs/ralph/*", "--exclude=refs/ralph/**", "--all", "HEAD"}}));
    if (!alone.empty()) lost.push_back(value);
  }
  return lost;
}

Result<> Work::keep_staged(const std::vector<Entry>& entries) const {
  const bool differs = std::ranges::any_of(entries, [](const Entry& entry) {
    return entry.staged != ' ' && entry.staged != '?' && entry.staged != 'D' && entry.to_take();
  });
  if (!differs) return {};
  TRY_ASSIGN(const auto snapshot, take_snapshot(git_, old_before_));
  TRY_ASSIGN(const auto head, this->head());
  std::vector<std::string> parents;
  if (!head.empty()) parents.push_back(head);
  TRY_ASSIGN(const auto commit,
             make_commit(snapshot.staged_tree, parents,
                         fmt::format("ralph: what was staged and changed again, {}\n",
                                     iso_utc(now_utc()))));
  TRY(keep("refs/ralph/staged-" + compact_utc(now_utc()), commit));
  return {};
}

}  // namespace ralph::git

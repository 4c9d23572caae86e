// What changes the user's branch, index and folder.
#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "git/fields.h"
#include "git/index.h"
#include "git/ref.h"
#include "git/work.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 3;

/// A file of the git folder that is there while git waits for the user.
struct Unfinished {
  const char* file;
  const char* what;
  const char* command;
  bool reset_ends_it;
};
constexpr Unfinished kUnfinished[] = {
    {"rebase-merge", "a rebase", "git rebase", false},
    {"rebase-apply", "a rebase or 'git am'", "git rebase", false},
    {"MERGE_HEAD", "a merge", "git merge", true},
    {"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick", true},
    {"REVERT_HEAD", "a revert", "git revert", true},
};

std::unexpected<Error> not_finished(const Unfinished& unfinished, const fs::path& root) {
  return fail(Code::busy, fmt::format("{} is not finished in '{}'", unfinished.what, root.native()),
              fmt::format("finish it: {0} --continue, or {0} --abort", unfinished.command));
}

const Unfinished* find_unfinished(const fs::path& git_folder) {
  for (const auto& unfinished : kUnfinished) {
    std::error_code ignored;
    if (fs::exists(git_folder / unfinished.file, ignored)) return &unfinished;
  }
  return nullptr;
}

std::string names_of(const std::vector<Entry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), kMostNamed); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", entries[i].path);
  }
  return entries.size() > kMostNamed ? text + " …" : text;
}

Result<> refuse_unmerged(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return !entry.unmerged(); });
  if (entries.empty()) return {};
  return fail(Code::busy, fmt::format("in conflict, not merged yet: {}", names_of(entries)),
              "merge them by hand, then git add them");
}

/// A reset would take them back, and they are in no tree of ours.
Result<> refuse_changes_of_ours(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return !entry.ours() || entry.staged == '?'; });
  if (entries.empty()) return {};
  return fail(Code::busy, fmt::format("git tracks {}, and it has changes", names_of(entries)),
              "commit them, or take them back, first");
}

bool is_set(const std::string& variable) {
  const auto* value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

/// ralph's name for whatever the user has none for.
Result<std::vector<process::EnvChange>> identity(const Program& git) {
  const Call call{
      {"config", "--name-only", "--get-regexp", "^(user|author|committer)\\.(name|email)$"}};
  TRY_ASSIGN(const auto captured, git.run(call));
  const auto has = [&](std::string_view key) {
    return ("\n" + captured.out).find(fmt::format("\n{}\n", key)) != std::string::npos;
  };
  std::vector<process::EnvChange> changes;
  for (const char* role : {"author", "committer"}) {
    for (const char* part : {"name", "email"}) {
      const bool name = std::string_view(part) == "name";
      const auto variable =
          fmt::format("GIT_{}_{}", *role == 'a' ? "AUTHOR" : "COMMITTER", name ? "NAME" : "EMAIL");
      const bool known = is_set(variable) || has(fmt::format("user.{}", part)) ||
                         has(fmt::format("{}.{}", role, part)) || (!name && is_set("EMAIL"));
      if (!known) changes.push_back({variable, name ? "ralph" : "ralph@localhost"});
    }
  }
  return changes;
}

}  // namespace

Result<> Work::refuse_unfinished() const {
  const auto* unfinished = find_unfinished(git_.git_folder());
  if (unfinished != nullptr) return not_finished(*unfinished, root());
  return {};
}

/// Nothing refers to it yet.
Result<std::string> Work::make_commit(const std::string& tree,
                                      const std::vector<std::string>& parents,
                                      std::string_view message) const {
  TRY_ASSIGN(auto who, identity(git_));
  Call call{{"commit-tree", tree}, std::string(message), {}, std::move(who)};
  for (const auto& parent : parents) call.words.insert(call.words.end(), {"-p", parent});
  return git_.ask_line(call);
}

/// The branch, the index and the folder. A reset removes what the index names and the commit does not: so it names all
/// that is not ignored. `git clean` would go by the commit's .gitignore, and take files that were ignored until now.
Result<> Work::put_back(const std::string& commit) const {
  TRY_ASSIGN(const auto entries, list_entries(git_));
  TRY(take_in(git_, entries, {}));
  TRY(git_.ask({{"reset", "--quiet", "--hard", commit, "--"}}));
  return {};
}

Result<std::string> Work::commit(std::string_view message) const {
  TRY(check_settings());
  TRY(refuse_unfinished());
  TRY_ASSIGN(auto entries, list_entries(git_));
  TRY(refuse_unmerged(entries));
  std::erase_if(entries, [](const Entry& entry) { return entry.ours(); });
  if (entries.empty()) return std::string();
  TRY_ASSIGN(auto who, identity(git_));
  TRY(take_in(git_, entries, {}));
  // What was staged may be gone from the folder again: then there is nothing to commit.
  const Call staged{{"diff-index", "--cached", "--quiet", "HEAD", "--"}};
  TRY_ASSIGN(const auto before, head());
  if (!before.empty()) {
    TRY_ASSIGN(const auto captured, git_.run(staged));
    if (captured.ok()) return std::string();
  }
  TRY(git_.ask({{"commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"},
                std::string(message),
                {},
                std::move(who)}));
  return head();
}

Result<bool> Work::stash(std::string_view message) const {
  TRY(check_settings());
  TRY(refuse_unfinished());
  TRY_ASSIGN(const auto entries, list_entries(git_));
  TRY(refuse_unmerged(entries));
  TRY(refuse_changes_of_ours(entries));
  if (std::ranges::all_of(entries, &Entry::ours)) return false;
  TRY_ASSIGN(const auto head, this->head());
  if (head.empty()) {
    return fail(Code::usage,
                fmt::format("'{}' has no commit yet: git keeps no stash there", root().native()),
                "make a first commit");
  }
  TRY_ASSIGN(const auto tree, this->tree());
  // A stash has two parents: where it was made, and what was in the index.
  TRY_ASSIGN(const auto index, make_commit(head + "^{tree}", {head}, message));
  TRY_ASSIGN(const auto kept, make_commit(tree, {head, index}, message));
  TRY(git_.ask({{"stash", "store", "--quiet", "--message", std::string(message), kept}}));
  TRY(put_back(head));
  return true;
}

Result<> Work::reset_to(std::string_view commit, std::string_view keep_as) const {
  TRY(check_settings());
  const auto ref = "refs/ralph/" + std::string(keep_as);
  if (!is_commit_id(commit) || !is_ref_name(ref)) {
    return fail(Code::usage,
                fmt::format("'{}' is no commit's id, or '{}' no name for a ref", commit, ref));
  }
  const auto* unfinished = find_unfinished(git_.git_folder());
  if (unfinished != nullptr && !unfinished->reset_ends_it) {
    return not_finished(*unfinished, root());
  }
  TRY_ASSIGN(const auto target,
             git_.ask_line({{"rev-parse", "--verify", std::string(commit) + "^{commit}"}}));
  TRY_ASSIGN(const auto entries, list_entries(git_));
  TRY(refuse_changes_of_ours(entries));
  TRY_ASSIGN(auto kept, head());
  if (kept.empty() || !std::ranges::all_of(entries, &Entry::ours)) {
    const auto parents = kept.empty() ? std::vector<std::string>() : std::vector{kept};
    TRY_ASSIGN(const auto tree, this->tree());
    TRY_ASSIGN(kept, make_commit(tree, parents,
                                 fmt::format("kept by ralph before a reset to {}", target)));
  }
  const std::string none(kept.size(), '0');
  TRY(git_.ask({{"update-ref", "-m", "ralph: before a reset", ref, kept, none}}));
  return put_back(target);
}

}  // namespace ralph::git

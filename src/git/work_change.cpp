// What changes the user's branch, index and folder.
#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "base/utf8.h"
#include "git/fields.h"
#include "git/index.h"
#include "git/old_files.h"
#include "git/ref.h"
#include "git/work.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 3;
constexpr int kMostKept = 1000;  // under one name

/// A file of the git folder that is there while git waits for the user.
struct Unfinished {
  const char* file;
  const char* what;
  const char* hint;
  bool reset_ends_it;
};
constexpr Unfinished kUnfinished[] = {
    {"rebase-merge", "a rebase", "finish it: git rebase --continue, or git rebase --abort", false},
    {"rebase-apply", "a rebase or 'git am'", "finish it: 'git status' says how", false},
    {"MERGE_HEAD", "a merge", "finish it: git merge --continue, or git merge --abort", true},
    {"CHERRY_PICK_HEAD", "a cherry-pick",
     "finish it: git cherry-pick --continue, or git cherry-pick --abort", true},
    {"REVERT_HEAD", "a revert", "finish it: git revert --continue, or git revert --abort", true},
    {"BISECT_LOG", "a bisect", "finish it: git bisect reset", false},
};

std::unexpected<Error> not_finished(const Unfinished& unfinished, const fs::path& root) {
  return fail(Code::busy, fmt::format("{} is not finished in '{}'", unfinished.what, root.native()),
              unfinished.hint);
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

/// "main" of "refs/heads/main".
std::string short_name(std::string_view branch) {
  constexpr std::string_view kBranches = "refs/heads/";
  if (branch.starts_with(kBranches)) branch.remove_prefix(kBranches.size());
  return branch.empty() ? "no branch" : fmt::format("'{}'", branch);
}

Result<> refuse_other_branch(std::string_view is, std::string_view wanted, const fs::path& root) {
  if (is == wanted) return {};
  return fail(Code::busy,
              fmt::format("{} is checked out in '{}', and the commit belongs on {}", short_name(is),
                          root.native(), short_name(wanted)),
              "git checkout that one, or start again on the one that is checked out");
}

/// Well-formed UTF-8 without NUL bytes: git refuses those.
std::string message_text(std::string_view message) {
  std::string text;
  for (const char c : utf8::repaired(message)) {
    if (c == '\0') {
      utf8::append(text, U'\uFFFD');
    } else {
      text += c;
    }
  }
  return text;
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

Result<> Work::ready() const {
  const auto* unfinished = find_unfinished(git_.git_folder());
  if (unfinished != nullptr) return not_finished(*unfinished, root());
  return {};
}

/// Nothing refers to it yet.
Result<std::string> Work::make_commit(const std::string& tree,
                                      const std::vector<std::string>& parents,
                                      std::string_view message) const {
  TRY_ASSIGN(auto who, identity(git_));
  Call call{{"commit-tree", tree}, message_text(message), {}, std::move(who)};
  for (const auto& parent : parents) call.words.insert(call.words.end(), {"-p", parent});
  return git_.ask_line(call);
}

/// The branch, the index and the folder. A reset removes what the index names and the commit does not: so it names all
/// that is not ignored. `git clean` would go by the commit's .gitignore, and take files that were ignored until now.
Result<> Work::put_back(const std::string& commit) const {
  TRY_ASSIGN(const auto entries, this->entries());
  TRY(take_in(git_, entries, {}));
  if (old_before_) TRY(forget_old(git_, *old_before_, commit));
  TRY(git_.ask({{"reset", "--quiet", "--hard", commit, "--"}}));
  return {};
}

Result<std::string> Work::commit(std::string_view message, std::string_view branch) const {
  TRY(check_settings());
  TRY(ready());
  TRY_ASSIGN(const auto present, this->branch());
  TRY(refuse_other_branch(present, branch, root()));
  TRY_ASSIGN(auto entries, this->entries());
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
                message_text(message),
                {},
                std::move(who)}));
  return head();
}

Result<bool> Work::stash(std::string_view message) const {
  TRY(check_settings());
  TRY(ready());
  TRY_ASSIGN(const auto entries, this->entries());
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
  TRY(git_.ask({{"stash", "store", "--quiet", "--message", message_text(message), kept}}));
  TRY(put_back(head));
  return true;
}

/// HEAD alone is moved, unless it is there already. Where it ends the branch is not what it was called: a ref that an
/// agent made lead to another would move that one.
Result<> Work::stand_on(const std::string& branch, const std::string& commit) const {
  constexpr const char* kReason = "ralph: back to where it began";
  TRY_ASSIGN(const auto present, this->branch());
  if (present == branch) return {};
  if (branch.empty()) {
    TRY(git_.ask({{"update-ref", "--no-deref", "-m", kReason, "HEAD", commit}}));
    return {};
  }
  TRY(git_.ask({{"symbolic-ref", "-m", kReason, "HEAD", branch}}));
  TRY_ASSIGN(const auto now, this->branch());
  if (now == branch) return {};
  return fail(Code::permission,
              fmt::format("{} in '{}' leads to {} by now", short_name(branch), root().native(),
                          short_name(now)),
              "look at 'git symbolic-ref' of that branch, and delete it if it is not meant");
}

/// A commit that holds all that a reset would lose.
Result<std::string> Work::present_state(const std::string& target,
                                        const std::string& branch) const {
  TRY_ASSIGN(const auto entries, this->entries());
  TRY(refuse_changes_of_ours(entries));
  TRY_ASSIGN(const auto head, this->head());
  TRY_ASSIGN(const auto present, this->branch());
  std::vector<std::string> parents;
  if (!head.empty()) parents.push_back(head);
  if (!branch.empty() && present != branch) {
    const Call ask{{"rev-parse", "--verify", "--quiet", branch + "^{commit}"}};
    TRY_ASSIGN(const auto captured, git_.run(ask));
    const auto tip = captured.ok() ? captured.out.substr(0, captured.out.find('\n')) : target;
    if (tip != target && tip != head) parents.push_back(tip);
  }
  if (parents.size() == 1 && std::ranges::all_of(entries, &Entry::ours)) return parents.front();
  TRY_ASSIGN(const auto tree, this->tree());
  return make_commit(tree, parents, fmt::format("kept by ralph before a reset to {}", target));
}

/// Under the first name that is free; the ref.
Result<std::string> Work::keep(const std::string& name, const std::string& commit) const {
  const std::string none(commit.size(), '0');
  for (int number = 1; number <= kMostKept; ++number) {
    const auto ref = number == 1 ? name : fmt::format("{}-{}", name, number);
    TRY_ASSIGN(const auto taken, git_.run({{"rev-parse", "--verify", "--quiet", ref}}));
    if (taken.ok()) continue;
    TRY(git_.ask({{"update-ref", "-m", "ralph: before a reset", ref, commit, none}}));
    return ref;
  }
  return fail(Code::limit, fmt::format("'{}' and {} more names are taken", name, kMostKept - 1),
              "delete those you do not need: git update-ref -d REF");
}

Result<std::string> Work::reset_to(std::string_view commit, std::string_view keep_as,
                                   std::string_view branch) const {
  TRY(check_settings());
  const auto ref = "refs/ralph/" + std::string(keep_as);
  if (!is_commit_id(commit) || !is_ref_name(ref) || !(branch.empty() || is_ref_name(branch))) {
    return fail(Code::usage,
                fmt::format("'{}' is no commit's id, or '{}' or '{}' no name for a ref", commit,
                            ref, branch));
  }
  const auto* unfinished = find_unfinished(git_.git_folder());
  if (unfinished != nullptr && !unfinished->reset_ends_it) {
    return not_finished(*unfinished, root());
  }
  TRY_ASSIGN(const auto target,
             git_.ask_line({{"rev-parse", "--verify", std::string(commit) + "^{commit}"}}));
  TRY_ASSIGN(const auto present, present_state(target, std::string(branch)));
  TRY_ASSIGN(auto kept, keep(ref, present));
  TRY(stand_on(std::string(branch), target));
  TRY(put_back(target));
  return kept;
}

}  // namespace ralph::git

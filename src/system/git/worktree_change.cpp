// What changes the user's branch, index and directory.
#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "system/git/fields.h"
#include "system/git/index.h"
#include "system/git/keep_commit.h"
#include "system/git/position.h"
#include "system/git/worktree.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "ralph", kAddress = "ralph@localhost";

Result<> refuse_other_branch(std::string_view is, std::string_view wanted, const fs::path& root) {
  if (is == wanted) return {};
  return fail(
      Code::busy,
      fmt::format("{} is checked out in '{}', and the commit belongs on {}", short_name(is),
                  root.native(), short_name(wanted)),
      fmt::format("check out {}, or start a new loop on {}", short_name(wanted), short_name(is)));
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
      if (!known) changes.push_back({variable, std::string(name ? kName : kAddress)});
    }
  }
  return changes;
}

}  // namespace

std::string Worktree::name_of_commits() const {
  const auto changes = identity(git_);
  return changes && !changes->empty() ? fmt::format("{} <{}>", kName, kAddress) : std::string();
}

Result<> Worktree::ready() const { return refuse_unfinished(git_, Reset::no); }

Result<std::string> make_commit(const Program& git, const std::string& tree,
                                const std::vector<std::string>& parents, std::string_view message) {
  TRY_ASSIGN(auto who, identity(git));
  Call call{{"commit-tree", tree}, message_text(message), {}, std::move(who)};
  for (const auto& parent : parents) call.words.insert(call.words.end(), {"-p", parent});
  return git.ask_line(call);
}

Result<std::string> Worktree::commit(std::string_view message, std::string_view branch) const {
  TRY(check_settings());
  TRY(ready());
  TRY_ASSIGN(const auto present, this->branch());
  TRY(refuse_other_branch(present, branch, root()));
  TRY_ASSIGN(auto entries, this->entries());
  TRY(refuse_unmerged(entries));
  std::erase_if(entries, [](const Entry& entry) { return entry.ours(); });
  if (entries.empty()) return std::string();
  TRY_ASSIGN(auto who, identity(git_));
  TRY(keep_staged(entries));
  TRY(forget_stat_data(git_, entries));
  TRY(take_in(git_, entries, {}));
  // What was staged may be gone from the directory again: then there is nothing to commit.
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

}  // namespace ralph::git

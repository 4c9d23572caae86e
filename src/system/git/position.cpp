#include "system/git/position.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/utf8.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kMostBytesOfRef = 64 << 10;

/// A file of the git directory that is there while git waits for the user.
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

/// The ids in a file of the git directory, one a line.
void add_ids(const fs::path& file, std::vector<std::string>& ids) {
  const auto text = read_file(file, kMostBytesOfRef).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (auto id = text.substr(at, end - at); is_commit_id(id)) ids.push_back(std::move(id));
    at = end + 1;
  }
}

}  // namespace

Result<std::string> read_branch(const Program& git) {
  const Call call{{"symbolic-ref", "--quiet", "HEAD"}};
  TRY_ASSIGN(const auto captured, git.run(call));
  if (captured.exit.exit_code == 1 && captured.err.empty()) return std::string();
  if (!captured.ok()) return std::unexpected(git.explain(call, captured));
  return captured.out.substr(0, captured.out.find('\n'));
}

Result<std::string> read_commit(const Program& git, const std::string& name) {
  const Call call{{"rev-parse", "--verify", "--quiet", name + "^{commit}"}};
  TRY_ASSIGN(const auto captured, git.run(call));
  if (captured.exit.exit_code == 1 && captured.err.empty()) return std::string();
  if (!captured.ok()) return std::unexpected(git.explain(call, captured));
  return captured.out.substr(0, captured.out.find('\n'));
}

Result<Position> read_position(const Program& git) {
  Position position;
  TRY_ASSIGN(position.head, read_commit(git, "HEAD"));
  TRY_ASSIGN(position.branch, read_branch(git));
  for (const auto* file : {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}) {
    add_ids(git.git_folder() / file, position.merged);
  }
  return position;
}

Result<> refuse_unfinished(const Program& git, Reset reset) {
  const auto* unfinished = find_unfinished(git.git_folder());
  if (unfinished == nullptr) return {};
  if (reset == Reset::yes && unfinished->reset_ends_it) return {};
  return not_finished(*unfinished, git.root());
}

Result<> refuse_unmerged(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return !entry.unmerged(); });
  if (entries.empty()) return {};
  return fail(Code::busy, fmt::format("unmerged conflicts: {}", names_of(entries)),
              "resolve them, then run 'git add'");
}

Result<> refuse_locked(const Program& git) {
  for (const auto* name : {"index.lock", "HEAD.lock"}) {
    const auto path = git.git_folder() / name;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) continue;
    return fail(Code::busy,
                fmt::format("'{}' exists: another git process is running here, or one crashed",
                            path.native()),
                "wait for it; if none is running, remove that file; nothing was changed");
  }
  return {};
}

Result<> refuse_unsafe_branch(const Program& git, const std::string& branch) {
  if (branch.empty()) return {};
  TRY_ASSIGN(const auto led, git.run({{"symbolic-ref", "--quiet", branch}}));
  if (led.ok()) {
    const auto other = std::string_view(led.out).substr(0, led.out.find('\n'));
    return fail(Code::permission,
                fmt::format("{} in '{}' leads to {} by now", short_name(branch),
                            git.root().native(), short_name(other)),
                "look at 'git symbolic-ref' of that branch, and delete it if it is not meant");
  }
  TRY_ASSIGN(const auto present, read_branch(git));
  if (present == branch) return {};
  TRY_ASSIGN(const auto list, git.ask({{"worktree", "list", "--porcelain"}}));
  if (("\n" + list).find(fmt::format("\nbranch {}\n", branch)) == std::string::npos) return {};
  return fail(Code::busy,
              fmt::format("{} is checked out in another worktree of '{}'", short_name(branch),
                          git.root().native()),
              "check out another branch there first: 'git worktree list' names it");
}

/// "main" of "refs/heads/main".
std::string short_name(std::string_view branch) {
  constexpr std::string_view kBranches = "refs/heads/";
  if (branch.starts_with(kBranches)) branch.remove_prefix(kBranches.size());
  return branch.empty() ? "no branch" : fmt::format("'{}'", branch);
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

}  // namespace ralph::git

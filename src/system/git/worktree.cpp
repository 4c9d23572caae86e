#include "system/git/worktree.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/path.h"
#include "system/git/fields.h"
#include "system/git/folder_scan.h"
#include "system/git/index.h"
#include "system/git/old_files.h"
#include "system/git/position.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

/// A directory of the repository that `folder` lies in; nullopt: in none.
Result<std::optional<fs::path>> ask_folder(const Program& git, const std::string& option) {
  const Call call{{"rev-parse", "--path-format=absolute", option}};
  TRY_ASSIGN(const auto captured, git.run(call));
  if (captured.err.find("not a git repository (or any") != std::string::npos) return std::nullopt;
  if (!captured.ok()) return std::unexpected(git.explain(call, captured));
  return fs::path(captured.out.substr(0, captured.out.size() - 1));
}

}  // namespace

Result<std::optional<Worktree>> Worktree::open(const fs::path& folder, Error& why_not,
                                               CallLimits limits) {
  auto program = Program::find();
  if (!program && program.error().code == Code::not_found) {
    why_not = {Code::unavailable, "git is not installed: " + program.error().message,
               "install git"};
    return std::nullopt;
  }
  TRY_ASSIGN(auto git, std::move(program));
  git.set_limits(std::move(limits));
  git.start_in(folder);
  TRY_ASSIGN(auto own, ask_folder(git, "--absolute-git-dir"));
  if (!own) {
    why_not = {Code::not_found, fmt::format("'{}' is not in a git repository", folder.native()),
               "run 'git init'"};
    return std::nullopt;
  }
  TRY_ASSIGN(auto root, ask_folder(git, "--show-toplevel"));
  TRY_ASSIGN(const auto common, ask_folder(git, "--git-common-dir"));
  if (!root || !common) {
    return fail(Code::unavailable, fmt::format("the repository of '{}' is gone", folder.native()));
  }
  git.pin(*std::move(root), *std::move(own));
  TRY_ASSIGN(auto settings, Settings::read(git, *common));
  TRY(refuse_blocking_files(git.root(), settings.git_folders()));
  return Worktree(std::move(git), std::move(settings));
}

Result<> Worktree::refuse_blocking() const {
  return refuse_blocking_files(root(), settings_.git_folders());
}

Result<> Worktree::check_settings() const {
  TRY(refuse_blocking());
  return settings_.check(git_);
}

Result<std::vector<Entry>> Worktree::entries() const {
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(auto entries, list_entries(git_, index.path()));
  TRY(leave_out(git_, left_alone_, entries));
  return entries;
}

Result<> Worktree::remember_tracked(const std::string& commit,
                                    const std::vector<std::string>& moved) {
  know_moved(moved);
  auto paths = moved;
  if (!commit.empty()) {
    TRY_ASSIGN(const auto text, git_.ask({{"ls-tree", "-r", "-z", "--name-only", commit}}));
    for (Fields fields(text); !fields.done();) paths.emplace_back(fields.next());
  }
  left_alone_.tracked = inodes_of(git_, paths);
  return {};
}

Result<std::vector<std::string>> Worktree::moved_since(const std::string& commit) const {
  if (commit.empty()) return std::vector<std::string>();
  return moved_files(git_, left_alone_, commit);
}

Result<> Worktree::leave_out_paths(const std::vector<std::string>& paths) {
  TRY(refuse_blocking());
  TRY_ASSIGN(const auto entries, this->entries());
  for (const auto& path : paths) {
    const auto found = std::ranges::find(entries, path, &Entry::path);
    if (found != entries.end() && found->staged != ' ' && found->staged != '?') {
      return fail(Code::usage, fmt::format("'{}' is staged and not committed", path),
                  fmt::format("commit it, or unstage it: git restore --staged {}", path));
    }
  }
  left_alone_.paths.insert(paths.begin(), paths.end());
  return {};
}

void Worktree::leave_out_own(const std::vector<fs::path>& paths) {
  for (const auto& path : paths) {
    std::error_code error;
    const auto real = fs::weakly_canonical(path, error);
    if (error || path.empty() || real == root() || !is_below(real, root())) continue;
    left_alone_.own.push_back(real.lexically_relative(root()).native());
  }
}

Result<std::string> Worktree::branch() const { return read_branch(git_); }

/// The last value is that of our own command line.
bool Worktree::wants_signatures() const {
  const auto captured = git_.run({{"config", "--type=bool", "--get-all", "commit.gpgsign"}});
  return captured && captured->out.ends_with("true\nfalse\n");
}

Result<std::string> Worktree::head() const {
  const Call call{{"rev-parse", "--verify", "--quiet", "HEAD"}};
  TRY_ASSIGN(const auto captured, git_.run(call));
  if (captured.exit.exit_code == 1 && captured.err.empty()) return std::string();
  if (!captured.ok()) return std::unexpected(git_.explain(call, captured));
  return captured.out.substr(0, captured.out.find('\n'));
}

Result<std::string> Worktree::tree() const {
  TRY(check_settings());
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(auto entries, list_entries(git_, index.path()));
  TRY(leave_out(git_, left_alone_, entries));
  TRY(take_in(git_, entries, index.path()));
  return git_.ask_line({{"write-tree"}, {}, index.path()});
}

Result<std::vector<std::string>> Worktree::dirty() const {
  TRY(check_settings());
  TRY_ASSIGN(const auto entries, this->entries());
  std::vector<std::string> paths;
  for (const auto& entry : entries) {
    if (!entry.ours()) paths.push_back(entry.path);
  }
  return paths;
}

}  // namespace ralph::git

#include "harness/loop/loop_repository.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "harness/loop/folder_digest.h"
#include "harness/loop/goal_file.h"
#include "harness/loop/own_paths.h"
#include "harness/run/sandbox.h"
#include "system/git/git.h"
#include "system/git/history.h"
#include "system/git/kept_files.h"
#include "system/git/position.h"
#include "system/git/tree_files.h"

namespace ralph::loop {

Result<> LoopRepository::open(const std::vector<OwnOutput>& outputs) {
  const auto& host = setup_.request.host;
  Error why_not;
  TRY_ASSIGN(git_, git::Worktree::open(host.workspace, why_not,
                                       {setup_.options.git_timeout, control_.runs().token()}));
  if (git_) {
    TRY_ASSIGN(auto wrap, run::sandbox_for_git(host));
    git_->wrap_with(std::move(wrap));
    git_->leave_out_outputs(outputs);
    git_->leave_out_own(own_paths(host));
    TRY_ASSIGN(integrity_, git::Integrity::read(git_->program()));
  }
  if (git_ && setup_.options.commit) TRY(git_->ready());
  if (!setup_.options.commit || git_) return {};
  return fail(Code::usage, "--commit needs a git repository: " + why_not.message,
              why_not.hint + ", or omit --commit");
}

/// Warns once.
void LoopRepository::warn_unknown_content(const Error& error) {
  if (std::exchange(warned_, true)) return;
  reporter_.warn(fmt::format("cannot detect file changes: {}", describe(error)));
}

std::string LoopRepository::content() {
  if (!git_) {
    auto id = folder_digest(setup_.request.host.workspace, setup_.request.state_folder);
    if (id) return *std::move(id);
    warn_unknown_content(id.error());
    return {};
  }
  const auto found = integrity_->restore(git_->program());
  if (found) {
    for (const auto& line : *found) reporter_.finding({line});
  }
  auto tree = found ? git_->tree() : Result<std::string>(std::unexpected(found.error()));
  if (tree) return *std::move(tree);
  // A git that was ended because ralph stops says nothing about the repository.
  if (control_.runs().cancelled_by()) return {};
  // A repository that could be read at the start and cannot be read now was tampered with, unless the disk is full.
  if (tree.error().code == Code::disk_full) {
    keeper_.set_storage_error(tree.error());
  } else if (state_.tree_at_start.empty()) {
    warn_unknown_content(tree.error());
  } else {
    tampered_ = tree.error();
  }
  return {};
}

/// Reads .git directly when possible: that saves a process.
std::string LoopRepository::head() const {
  if (!git_) return {};
  const auto known = git::read_head(setup_.request.host.workspace);
  const bool read = known && *known && !(*known)->commit.empty();
  return read ? (*known)->commit : git_->head().value_or("");
}

Result<std::string> LoopRepository::branch() const {
  TRY_ASSIGN(auto branch, git_->branch());
  return branch.empty() ? std::string(store::kDetachedHead) : std::move(branch);
}

std::string LoopRepository::settings_digest() const {
  return git_ ? sha256_hex(git_->settings_digest() + integrity_->digest()) : std::string();
}

std::vector<std::string> LoopRepository::commits_since_start() const {
  const auto now = head();
  if (!git_ || now.empty()) return {};
  auto ids = state_.commit_at_start.empty()
                 ? git::commits_to(git_->program(), now)
                 : git::commits_between(git_->program(), state_.commit_at_start, now);
  return ids ? *std::move(ids) : std::vector<std::string>();
}

std::vector<std::string> LoopRepository::left_out_paths() const {
  if (!git_) return state_.left_out;
  const auto& paths = git_->left_out_paths();
  return {paths.begin(), paths.end()};
}

Result<std::string> LoopRepository::commit(std::string_view message, std::string_view branch) {
  if (!git_) return std::string();
  auto made = git_->commit(message, branch);
  if (const auto moved = git_->moved_since(state_.commit_at_start)) remember_moved(*moved);
  return made;
}

/// For 'ralph undo', which does not see where a file of the start came from.
void LoopRepository::remember_moved(const std::vector<std::string>& paths) {
  auto& known = keeper_.state.moved;
  for (const auto& path : paths) {
    if (!is_among(known, path)) known.push_back(path);
  }
}

Result<> LoopRepository::check_committed() const {
  if (!git_) return {};
  TRY(git_->ready());
  TRY_ASSIGN(const auto now, branch());
  if (now != state_.branch_at_start) {
    return fail(Code::busy,
                fmt::format("{} is checked out, the loop began on {}", git::short_name(now),
                            git::short_name(state_.branch_at_start)));
  }
  TRY_ASSIGN(const auto dirty, git_->dirty());
  if (!dirty.empty()) {
    return fail(Code::busy, fmt::format("'{}' has changes that are not committed", dirty.front()));
  }
  if (!state_.commit_at_start.empty())
    TRY(git::commits_since(git_->program(), state_.commit_at_start));
  return {};
}

Result<bool> LoopRepository::needs_rollback(const store::Current& before) {
  if (!git_ || before.commit_before.empty()) return false;
  TRY_ASSIGN(const auto back,
             git::put_back_missing(*git_, store::inputs_ref(state_.loop_id), before.commit_before));
  if (!back.empty()) {
    reporter_.warn(fmt::format("deleted by the iteration, now restored: {}", join_names(back)));
  }
  TRY_ASSIGN(const auto dirty, git_->dirty());
  TRY_ASSIGN(const auto branch, git_->branch());
  return !dirty.empty() || head() != before.commit_before || branch != before.branch;
}

Result<Repository::RolledBack> LoopRepository::roll_back(const store::Current& before) {
  RolledBack done;
  const auto name = fmt::format("rolled-back/{}-{}", state_.loop_id, before.iteration);
  TRY_ASSIGN(done.kept, git_->reset_to(before.commit_before, name, before.branch, &done.replaced));
  return done;
}

Result<Repository::Changed> LoopRepository::changed_between(const std::string& from,
                                                            const std::string& to) {
  if (!git_) return Changed();
  TRY_ASSIGN(const auto changes, git::changes(git_->program(), from, to));
  std::vector<std::string> paths;
  for (const auto& change : changes) {
    if (change.kind != 'A') paths.push_back(change.path);
  }
  Changed changed;
  if (paths.empty()) return changed;
  TRY_ASSIGN(const auto known, git::paths_in_tree(git_->program(), state_.tree_at_start, paths));
  for (auto& path : paths) {
    (known.contains(path) ? changed.of_start : changed.others).push_back(std::move(path));
  }
  return changed;
}

bool is_among(const std::vector<std::string>& paths, const std::string& path) {
  return std::ranges::find(paths, path) != paths.end();
}

std::string goal_in_repository(const store::LoopState& state, const git::Worktree& git) {
  const std::filesystem::path path = state.goal_path;
  if (path.empty() || !is_below(path, git.root())) return {};
  return path.lexically_relative(git.root()).native();
}

void LoopRepository::leave_out_edited_goal(store::LoopState& state) {
  if (!git_ || !setup_.options.commit) return;
  const auto name = goal_in_repository(state_, *git_);
  if (name.empty() || git_->left_out_paths().contains(name)) return;
  if (read_goal_text(state_.goal_path).id == state_.goal_seen) return;
  if (auto done = git_->leave_out_paths({name}); !done) reporter_.warn(describe(done.error()));
  state.left_out = left_out_paths();
}

}  // namespace ralph::loop

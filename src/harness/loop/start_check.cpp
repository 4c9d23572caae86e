#include "harness/loop/start_check.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/own_output.h"
#include "harness/loop/own_paths.h"
#include "harness/run/sandbox.h"
#include "system/git/worktree.h"

namespace ralph::loop {
namespace {

std::string branch_name(std::string_view ref) {
  constexpr std::string_view kHeads = "refs/heads/";
  return std::string(ref.starts_with(kHeads) ? ref.substr(kHeads.size()) : ref);
}

Result<git::Worktree> open_repository(const Setup& setup, const store::LoopState* old) {
  const auto& host = setup.request.host;
  Error why_not;
  TRY_ASSIGN(auto git,
             git::Worktree::open(host.workspace, why_not, {setup.options.git_timeout, {}}));
  if (!git) return fail(Code::usage, "--commit needs a git repository: " + why_not.message);
  TRY_ASSIGN(auto wrap, run::sandbox_for_git(host));
  git->wrap_with(std::move(wrap));
  git->leave_out_outputs(own_outputs_and(old ? old->outputs : std::vector<OwnOutput>()));
  git->leave_out_own(own_paths(host));
  if (old) {
    TRY(git->leave_out_paths(old->left_out));
    git->leave_alone_before(old->files_before.value_or(old->started));
  }
  return *std::move(git);
}

std::string last_tree(const store::LoopState& old, const std::vector<store::LoopRecord>& records) {
  auto tree = old.tree_at_start;
  for (const auto& record : records) {
    if (!record.tree.empty()) tree = record.tree;
  }
  return tree;
}

}  // namespace

Result<> refuse_uncommitted(const Setup& setup, const std::vector<std::string>& dirty) {
  if (dirty.empty()) return {};
  return fail(Code::usage,
              dirty.size() == 1 ? fmt::format("uncommitted changes in '{}'", dirty.front())
                                : fmt::format("uncommitted changes in {} files, for example '{}'",
                                              dirty.size(), dirty.front()),
              setup.resumed ? "commit them, or stash them with 'git stash' or --stash, then resume"
                            : "commit them, use --stash, or omit --commit");
}

Result<> refuse_other_branch(const store::LoopState& old, const std::string& branch) {
  if (branch == old.branch_at_start) return {};
  return fail(Code::usage,
              fmt::format("the loop began on the branch '{}', and '{}' is checked out",
                          branch_name(old.branch_at_start), branch_name(branch)),
              "check out that branch, or use --accept-changes to go on here");
}

Result<> check_repository_at_start(const Setup& setup, const store::LoopState* old,
                                   const std::vector<store::LoopRecord>& records) {
  if (!setup.options.commit) return {};
  TRY_ASSIGN(const auto git, open_repository(setup, old));
  TRY(git.ready());
  if (old && !setup.options.accept_changes) {
    TRY_ASSIGN(const auto branch, git.branch());
    TRY(refuse_other_branch(*old, branch.empty() ? std::string(store::kDetachedHead) : branch));
  }
  const bool interrupted = old && old->current;
  if (setup.options.stash || interrupted) return {};
  TRY_ASSIGN(auto dirty, git.dirty());
  for (const auto& path : setup.inputs) {
    std::erase(dirty, path.lexically_relative(git.root()).native());
  }
  if (dirty.empty() || !old) return refuse_uncommitted(setup, dirty);
  TRY_ASSIGN(const auto tree, git.tree());
  return tree == last_tree(*old, records) ? Result<>() : refuse_uncommitted(setup, dirty);
}

}  // namespace ralph::loop

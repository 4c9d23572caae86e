#include "harness/loop/user_files.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/file.h"
#include "harness/loop/start_check.h"
#include "system/git/kept_files.h"

namespace ralph::loop {
Result<> UserFiles::leave_out_inputs(std::vector<std::string>& dirty) {
  auto& git = *repository_.git();
  std::vector<std::string> inputs;
  for (const auto& path : setup_.inputs) {
    const auto name = path.lexically_relative(git.root()).native();
    if (is_among(dirty, name) && !is_among(inputs, name)) inputs.push_back(name);
  }
  if (inputs.empty()) return {};
  TRY(git.leave_out_paths(inputs));
  std::erase_if(dirty, [&](const std::string& name) { return is_among(inputs, name); });
  reporter_.warn_at_start(fmt::format("not committed, and excluded from the loop's commits: {}",
                                      fmt::join(inputs, ", ")));
  return {};
}

Result<> UserFiles::stash_or_refuse() {
  auto& git = *repository_.git();
  TRY_ASSIGN(auto dirty, git.dirty());
  TRY(leave_out_inputs(dirty));
  if (dirty.empty()) return {};
  if (!setup_.options.stash) return refuse_uncommitted(setup_, dirty);
  const auto keep_as = store::stash_name(setup_.loop_id);
  TRY_ASSIGN(stashed_, git.stash(store::stash_message(setup_.loop_id), keep_as));
  if (stashed_) {
    reporter_.warn_at_start(fmt::format(
        "your changes were stashed, and the report will say how to restore them (at any time: "
        "git stash apply --index refs/ralph/{})",
        keep_as));
  }
  return {};
}

Result<> UserFiles::check_unchanged(const store::LoopState& state,
                                    const std::vector<store::LoopRecord>& records) {
  auto known = state.tree_at_start;
  for (const auto& record : records) {
    if (!record.tree.empty()) known = record.tree;
  }
  TRY_ASSIGN(const auto now, repository_.git()->tree());
  return now == known ? Result<>() : stash_or_refuse();
}

Result<> UserFiles::leave_out_again(store::LoopState& state) {
  if (repository_.git() == nullptr || state.left_out.empty()) return {};
  auto& git = *repository_.git();
  TRY_ASSIGN(const auto dirty, git.dirty());
  std::erase_if(state.left_out, [&](const std::string& name) {
    std::error_code error;
    const bool there =
        std::filesystem::exists(std::filesystem::symlink_status(git.root() / name, error));
    return there && !is_among(dirty, name);
  });
  return git.leave_out_paths(state.left_out);
}

/// Git's objects are no place for secrets.
bool UserFiles::may_hold_secrets(const std::string& path) const {
  if (std::filesystem::path(path).filename() == ".envrc") return true;
  const auto text = read_file(repository_.git()->root() / path);
  return text && masker_.finds_secret(*text);
}

void UserFiles::keep_copies(const store::LoopState& state) {
  if (repository_.git() == nullptr) return;
  std::vector<std::string> harmless;
  for (const auto& path : repository_.left_out_paths()) {
    if (!may_hold_secrets(path)) harmless.push_back(path);
  }
  auto kept = git::keep_files(*repository_.git(), harmless, store::inputs_ref(state.loop_id));
  if (kept) return;
  reporter_.warn_at_start(fmt::format("the excluded files are not protected from the agent: {}",
                                      describe(kept.error())));
}

void UserFiles::bring_back_stash() {
  if (!stashed_ || repository_.git() == nullptr) return;
  const auto back = repository_.git()->unstash(store::stash_message(setup_.loop_id));
  if (back && *back) {
    stashed_ = false;
    reporter_.info("this loop changed nothing: your stashed changes are restored");
    return;
  }
  reporter_.warn(fmt::format(
      "your changes are still stashed: 'git stash apply --index refs/ralph/{}' restores "
      "them{}",
      store::stash_name(setup_.loop_id), back ? "" : "; " + describe(back.error())));
}

}  // namespace ralph::loop

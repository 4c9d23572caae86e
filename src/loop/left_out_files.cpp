// Files in the repository that no commit of the loop takes in: the user's own, and those an agent could hide there.
#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "git/folder_scan.h"
#include "git/tree_files.h"
#include "loop/loop_impl.h"

namespace ralph::loop {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_ignore_file(const std::string& path) { return path.ends_with(".gitignore"); }

}  // namespace

std::string inputs_ref(std::string_view loop_id) { return fmt::format("inputs-{}", loop_id); }

/// The goal and the settings are the user's, also where they are not committed: they stay where they are.
Result<> Loop::leave_out_inputs(std::vector<std::string>& dirty) {
  std::vector<std::string> inputs;
  for (const auto& path : setup_.inputs) {
    const auto name = path.lexically_relative(git_->root()).native();
    if (is_among(dirty, name) && !is_among(inputs, name)) inputs.push_back(name);
  }
  if (inputs.empty()) return {};
  TRY(git_->leave_out_paths(inputs));
  std::erase_if(dirty, [&](const std::string& name) { return is_among(inputs, name); });
  setup_.warnings.push_back(fmt::format("not committed, and left out of the loop's commits: {}",
                                        fmt::join(inputs, ", ")));
  return {};
}

/// What was committed since is a file as any other.
Result<> Loop::leave_out_as_before() {
  if (!git_ || state_.left_out.empty()) return {};
  TRY_ASSIGN(const auto dirty, git_->dirty());
  std::erase_if(state_.left_out, [&](const std::string& name) { return !is_among(dirty, name); });
  return git_->leave_out_paths(state_.left_out);
}

/// An agent may delete them. Those of a start before this one are kept until nothing of them is missing.
void Loop::keep_inputs() {
  if (!git_) return;
  const auto name = inputs_ref(state_.loop_id);
  const auto& paths = git_->left_out_paths();
  const auto keep = [&]() -> Result<> {
    TRY_ASSIGN(const auto before, git_->compare_kept_files(name));
    if (!before.missing.empty()) return {};
    TRY(git_->drop_kept_refs(name));
    return git_->keep_files({paths.begin(), paths.end()}, name);
  };
  if (auto kept = keep(); !kept) {
    setup_.warnings.push_back(
        fmt::format("the files that are left out are not protected from the agent: {}",
                    describe(kept.error())));
  }
}

/// An edit that is not used for the goal is not the work of an iteration, whoever made it.
void Loop::leave_out_edited_goal() {
  if (!git_ || !setup_.options.commit || state_.goal_path.empty()) return;
  const auto name =
      std::filesystem::path(state_.goal_path).lexically_relative(git_->root()).native();
  if (name.starts_with("..") || git_->left_out_paths().contains(name)) return;
  if (read_goal_text(state_.goal_path).id == state_.goal_seen) return;
  if (auto done = git_->leave_out_paths({name}); !done) {
    note(stream::Level::warning, describe(done.error()));
  }
}

/// Deleted or changed files of the user that are in no commit.
void Loop::report_inputs() {
  const auto name = inputs_ref(state_.loop_id);
  const auto kept = git_->compare_kept_files(name);
  if (!kept) return note(stream::Level::warning, describe(kept.error()));
  if (kept->missing.empty() && kept->changed.empty()) {
    if (auto dropped = git_->drop_kept_refs(name); !dropped) {
      note(stream::Level::warning, describe(dropped.error()));
    }
    return;
  }
  for (const auto& path : kept->missing) {
    findings_.push_back(
        fmt::format("{} was not committed and is deleted; 'git restore --source=refs/ralph/{} -- "
                    "{}' brings it back",
                    join_names({path}), name, shell_word(path)));
  }
  if (kept->changed.empty()) return;
  findings_.push_back(fmt::format(
      "changed, and in no commit of this loop: {}; 'git diff refs/ralph/{} -- {}' shows how",
      join_names(kept->changed), name, shell_word(kept->changed.front())));
  if (std::ranges::none_of(kept->changed, is_ignore_file)) return;
  const auto hidden = git_->new_ignored();
  if (!hidden || hidden->empty()) return;
  findings_.push_back(
      fmt::format("made during the loop, and ignored by git: {}", join_names(*hidden)));
}

/// What is in neither the commits nor the list of files.
void Loop::report_left_out() {
  report_inputs();
  if (const auto old = git_->old_untracked(); old && !old->empty()) {
    findings_.push_back(
        fmt::format("older than the loop, but not ignored by git any more, and in no commit: {}",
                    join_names(*old)));
  }
  const auto own = workspace_->root().lexically_relative(git_->root());
  const auto found = git::changed_in_ralph_folders(git_->root(), own,
                                                   state_.files_before.value_or(state_.started));
  if (!found.empty()) {
    findings_.push_back(
        fmt::format("changed in a folder named .ralph, and in no commit: {}", join_names(found)));
  }
}

}  // namespace ralph::loop

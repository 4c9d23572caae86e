// Files in the repository that no commit of the loop takes in: the user's own, and those an agent could hide there.
#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "system/git/folder_scan.h"
#include "system/git/tree_files.h"
#include "harness/loop/loop_impl.h"

namespace ralph::loop {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_ignore_file(const std::string& path) {
  return std::filesystem::path(path).filename() == ".gitignore";
}

/// A folder with a .gitignore that no commit has, other than the caches of test programs, which all have one.
bool ignores_itself(const std::filesystem::path& path) {
  constexpr auto kCaches = std::to_array<std::string_view>(
      {".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"});
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  if (std::ranges::find(kCaches, name.native()) != kCaches.end()) return false;
  std::error_code error;
  return std::filesystem::exists(path / ".gitignore", error);
}

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

/// What was committed since is treated like any other file. Call before leave_alone_before(), which hides untracked files.
Result<> Loop::leave_out_as_before() {
  if (!git_ || state_.left_out.empty()) return {};
  TRY_ASSIGN(const auto dirty, git_->dirty());
  std::erase_if(state_.left_out, [&](const std::string& name) {
    std::error_code error;
    const bool there =
        std::filesystem::exists(std::filesystem::symlink_status(git_->root() / name, error));
    return there && !is_among(dirty, name);
  });
  return git_->leave_out_paths(state_.left_out);
}

/// Git's objects are no place for secrets.
bool Loop::may_hold_secrets(const std::string& path) const {
  if (std::filesystem::path(path).filename() == ".envrc") return true;
  const auto text = read_file(git_->root() / path);
  return text && masker_.finds_secret(*text);
}

/// An agent may delete or overwrite them. Every start adds a version.
void Loop::keep_inputs() {
  if (!git_) return;
  const auto& paths = git_->left_out_paths();
  std::vector<std::string> harmless;
  for (const auto& path : paths) {
    if (!may_hold_secrets(path)) harmless.push_back(path);
  }
  auto kept = git_->keep_files(harmless, inputs_ref(state_.loop_id));
  if (!kept) {
    setup_.warnings.push_back(
        fmt::format("the files that are left out are not protected from the agent: {}",
                    describe(kept.error())));
  }
}

/// The goal file below the root of the repository.
std::string Loop::goal_name() const {
  return std::filesystem::path(state_.goal_path).lexically_relative(git_->root()).native();
}

/// An edit that is not used for the goal is not the work of an iteration, whoever made it.
void Loop::leave_out_edited_goal() {
  if (!git_ || !setup_.options.commit || state_.goal_path.empty()) return;
  const auto name = goal_name();
  if (name.starts_with("..") || git_->left_out_paths().contains(name)) return;
  if (read_goal_text(state_.goal_path).id == state_.goal_seen) return;
  if (auto done = git_->leave_out_paths({name}); !done) {
    note(stream::Level::warning, describe(done.error()));
  }
}

/// What leave_out_edited_goal() left out.
void Loop::report_edited_goal(const std::vector<std::string>& kept) {
  const auto name = goal_name();
  if (state_.goal_path.empty() || is_among(kept, name)) return;
  const auto changed = git_->changed_left_out();
  if (!changed) return note(stream::Level::warning, describe(changed.error()));
  if (!is_among(*changed, name)) return;
  const auto now = read_goal_text(state_.goal_path);
  const bool unused = now.problem.empty() && now.text != state_.goal;
  const auto goal = shell_word(state_.goal_path);
  findings_.push_back(fmt::format(
      "{} was changed during the loop, and the change is in no commit{}; 'git restore {}' drops it",
      join_names({name}),
      unused ? fmt::format(" and was not used: 'ralph loop --resume {}' uses it", goal) : "",
      shell_word(":/" + name)));
}

/// Deleted or changed files of the user that are in no commit.
void Loop::report_inputs() {
  const auto name = inputs_ref(state_.loop_id);
  const auto kept = git_->compare_kept_files(name);
  if (!kept) return note(stream::Level::warning, describe(kept.error()));
  report_edited_goal(kept->all);
  if (kept->missing.empty() && kept->changed.empty()) {
    if (kept->has_earlier) return;
    if (auto dropped = git_->drop_kept_refs(name); !dropped) {
      note(stream::Level::warning, describe(dropped.error()));
    }
    return;
  }
  for (const auto& path : kept->missing) {
    findings_.push_back(
        fmt::format("{} was not committed and is deleted; 'git restore --source=refs/ralph/{} -- "
                    "{}' brings it back",
                    join_names({path}), name, shell_word(":/" + path)));
  }
  if (kept->changed.empty()) return;
  findings_.push_back(
      fmt::format("changed, and in no commit of this loop: {}; 'git show {} | diff - {}' shows how",
                  join_names(kept->changed),
                  shell_word(fmt::format("refs/ralph/{}:{}", name, kept->changed.front())),
                  shell_word((git_->root() / kept->changed.front()).native())));
}

/// Files that rules hide which are not those of the start.
void Loop::report_ignored(const std::vector<git::FileChange>& files) {
  const auto hidden = git_->new_ignored(state_.files_before.value_or(state_.started));
  if (!hidden) return note(stream::Level::warning, describe(hidden.error()));
  const auto kept = git_->compare_kept_files(inputs_ref(state_.loop_id));
  const bool new_rules = (kept && std::ranges::any_of(kept->changed, is_ignore_file)) ||
                         std::ranges::any_of(files, is_ignore_file, &git::FileChange::path);
  std::vector<std::string> named;
  for (const auto& path : *hidden) {
    if (new_rules || ignores_itself(git_->root() / path)) named.push_back(path);
  }
  if (named.empty()) return;
  findings_.push_back(
      fmt::format("made during the loop, and ignored by git: {}", join_names(named)));
}

/// What is in neither the commits nor the list of files.
void Loop::report_left_out(const std::vector<git::FileChange>& files) {
  report_inputs();
  report_ignored(files);
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

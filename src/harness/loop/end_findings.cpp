#include "harness/loop/end_findings.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>

#include "core/base/names.h"
#include "harness/loop/goal_file.h"
#include "harness/loop/test_files.h"
#include "system/git/folder_scan.h"
#include "system/git/kept_files.h"
#include "system/git/kept_refs.h"
#include "system/git/position.h"
#include "system/git/tree_files.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<store::ChangedFile>;

bool is_ignore_file(const std::string& path) { return fs::path(path).filename() == ".gitignore"; }

/// A directory with a .gitignore that no commit has, other than the caches of test programs, which all have one.
bool ignores_itself(const fs::path& path) {
  constexpr auto kCaches = std::to_array<std::string_view>(
      {".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"});
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  if (std::ranges::find(kCaches, name.native()) != kCaches.end()) return false;
  std::error_code error;
  return fs::exists(path / ".gitignore", error);
}

/// Collects the findings of one loop.
class Findings {
 public:
  Findings(const git::Worktree& git, const store::LoopState& state, LoopReporter& reporter)
      : git_(git), state_(state), reporter_(reporter) {}

  void tests(const Files& files);
  void inner_repositories();
  void inputs();
  void ignored(const Files& files);
  void old_files();
  void ralph_folders(const fs::path& own);

 private:
  UtcTime start() const { return state_.files_before.value_or(state_.started); }
  void add(std::string text) { reporter_.silent_finding({std::move(text)}); }
  void add_changed(std::string_view kind, const std::vector<std::string>& paths);
  void edited_goal(const std::vector<std::string>& kept);

  const git::Worktree& git_;
  const store::LoopState& state_;
  LoopReporter& reporter_;
};

void Findings::add_changed(std::string_view kind, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  add(fmt::format("{} changed: {}", counted(std::ssize(paths), fmt::format("{} file", kind)),
                  join_names(paths)));
}

/// Tests and build files that are not what they were, unless a finding names them already.
void Findings::tests(const Files& files) {
  std::vector<std::string> tests, builds;
  const auto is_named = [&](const std::string& path) {
    return std::ranges::any_of(reporter_.findings(), [&](const store::Finding& finding) {
      return is_among(finding.paths, path);
    });
  };
  for (const auto& file : files) {
    if (is_named(file.path)) continue;
    if (is_test_file(file.path)) {
      tests.push_back(file.path);
    } else if (is_build_file(file.path)) {
      builds.push_back(file.path);
    }
  }
  add_changed("test", tests);
  add_changed("build", builds);
}

/// Their files are in no commit of ours. Of an ignored repository that is expected.
void Findings::inner_repositories() {
  auto found = git::changed_repositories(git_.root(), start());
  if (found.empty()) return;
  if (const auto ignored = git::ignored_files(git_.program(), git_.root(), found)) {
    std::erase_if(found, [&](const std::string& path) { return is_among(*ignored, path); });
  }
  if (found.empty()) return;
  add(fmt::format("files changed in {}: {} of {} own, whose files are in no commit of this loop",
                  join_names(found), found.size() == 1 ? "a repository" : "repositories",
                  found.size() == 1 ? "its" : "their"));
}

/// What Repository::leave_out_edited_goal() left out.
void Findings::edited_goal(const std::vector<std::string>& kept) {
  const auto name = goal_in_repository(state_, git_);
  if (name.empty() || is_among(kept, name)) return;
  const auto changed = git_.changed_left_out();
  if (!changed) return reporter_.warn(describe(changed.error()));
  if (!is_among(*changed, name)) return;
  const auto now = read_goal_text(state_.goal_path);
  const bool unused = now.problem.empty() && now.text != state_.goal;
  const auto goal = shell_word(state_.goal_path);
  const auto not_used =
      unused ? fmt::format(" and was not used: 'ralph loop --resume {}' uses it", goal) : "";
  reporter_.silent_finding(
      {fmt::format("{} was changed during the loop, and the change is in no commit{}; 'git restore "
                   "{}' drops it",
                   join_names({name}), not_used, shell_word(":/" + name)),
       {name},
       unused ? store::Finding::Kind::unused_goal : store::Finding::Kind::other});
}

/// Deleted or changed files of the user that are in no commit.
void Findings::inputs() {
  const auto name = store::inputs_ref(state_.loop_id);
  const auto kept = git::compare_kept_files(git_, name);
  if (!kept) return reporter_.warn(describe(kept.error()));
  edited_goal(kept->all);
  if (kept->missing.empty() && kept->changed.empty()) {
    if (kept->has_earlier) return;
    if (auto dropped = git::drop_kept_refs(git_, name); !dropped) {
      reporter_.warn(describe(dropped.error()));
    }
    return;
  }
  for (const auto& path : kept->missing) {
    add(
        fmt::format("{} was not committed and was deleted; 'git restore --source=refs/ralph/{} -- "
                    "{}' restores it",
                    join_names({path}), name, shell_word(":/" + path)));
  }
  if (kept->changed.empty()) return;
  add(fmt::format("changed, and in no commit of this loop: {}; 'git show {} | diff - {}' shows how",
                  join_names(kept->changed),
                  shell_word(fmt::format("refs/ralph/{}:{}", name, kept->changed.front())),
                  shell_word((git_.root() / kept->changed.front()).native())));
}

/// Files that rules hide which are not those of the start.
void Findings::ignored(const Files& files) {
  const auto hidden = git::new_ignored(git_, start());
  if (!hidden) return reporter_.warn(describe(hidden.error()));
  const auto kept = git::compare_kept_files(git_, store::inputs_ref(state_.loop_id));
  const bool new_rules = (kept && std::ranges::any_of(kept->changed, is_ignore_file)) ||
                         std::ranges::any_of(files, is_ignore_file, &store::ChangedFile::path);
  std::vector<std::string> named;
  for (const auto& path : *hidden) {
    if (new_rules || ignores_itself(git_.root() / path)) named.push_back(path);
  }
  if (!named.empty()) {
    add(fmt::format("created during the loop and ignored by git: {}", join_names(named)));
  }
}

void Findings::old_files() {
  const auto old = git_.old_untracked();
  if (!old || old->empty()) return;
  add(fmt::format("older than the loop, no longer ignored by git, and in no commit: {}",
                  join_names(*old)));
}

void Findings::ralph_folders(const fs::path& own) {
  const auto found =
      git::changed_in_ralph_folders(git_.root(), own.lexically_relative(git_.root()), start());
  if (found.empty()) return;
  add(fmt::format("changed in a directory named .ralph, and in no commit: {}", join_names(found)));
}

}  // namespace

void report_changed_files(LoopRepository& repository, const store::LoopState& state,
                          const Files& files, const fs::path& ralph_folder,
                          LoopReporter& reporter) {
  Findings findings(*repository.git(), state, reporter);
  findings.tests(files);
  findings.inner_repositories();
  findings.inputs();
  findings.ignored(files);
  findings.old_files();
  findings.ralph_folders(ralph_folder);
}

void report_unused_goal(const store::LoopState& state, LoopReporter& reporter) {
  if (state.goal_path.empty()) return;
  const auto now = read_goal_text(state.goal_path);
  if (!now.problem.empty() || now.id != state.goal_seen || now.text == state.goal) return;
  const auto kind = store::Finding::Kind::unused_goal;
  const auto& reported = reporter.findings();
  if (std::ranges::find(reported, kind, &store::Finding::kind) != reported.end()) return;
  reporter.silent_finding(
      {fmt::format(
           "'{}' was changed during the loop and was not used: 'ralph loop --resume {}' uses it",
           state.goal_file, shell_word(state.goal_path)),
       {state.goal_file},
       kind});
}

void report_branch(const LoopRepository& repository, const store::LoopState& state,
                   LoopReporter& reporter) {
  if (repository.git() == nullptr) return;
  const auto branch = repository.branch();
  if (!branch || *branch == state.branch_at_start || state.branch_at_start.empty()) return;
  reporter.silent_finding(
      {fmt::format("HEAD is on {}; it was on {} when the loop began", git::short_name(*branch),
                   git::short_name(state.branch_at_start))});
}

}  // namespace ralph::loop

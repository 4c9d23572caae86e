#include "cli/undo_plan.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/utf8.h"
#include "system/git/history.h"
#include "ui/console/figures.h"

namespace ralph::cli {
namespace {

using console::short_commit;

constexpr std::size_t kMostSubject = 60;

std::unexpected<Error> nothing_left() {
  return fail(Code::usage, "every commit of the loop is already undone",
              "'git for-each-ref refs/ralph' lists the saved states");
}

std::unexpected<Error> no_commit(const store::LoopState& state) {
  // Only a loop with --commit notes which files are older than it.
  if (!state.files_before) {
    return fail(Code::not_found,
                "the loop in this directory ran without --commit: there is no commit to undo",
                state.tree_at_start.empty() || state.branch_at_start.empty()  // there was no git
                    ? ""
                    : fmt::format("'git diff {}' shows what changed since it began in files that "
                                  "git tracks",
                                  short_commit(state.tree_at_start)));
  }
  return fail(Code::not_found, "the loop in this directory has made no commit",
              "the commits since its start were not made by the loop: use git to undo them");
}

/// The newest commit of the loop that is still on the branch, for a message.
Result<std::string> last_one(const git::Worktree& work, const UndoPast& past) {
  TRY_ASSIGN(const auto missing, not_in_head(work, past));
  for (auto step = past.steps.rbegin(); step != past.steps.rend(); ++step) {
    if (!missing.contains(step->iteration)) {
      return fmt::format("its last one is {}", short_commit(step->after));
    }
  }
  return "none of its commits is on the branch";
}

/// The branch stands where an iteration left it; which.
Result<UndoStep> step_at_head(const git::Worktree& work, const UndoPast& past) {
  TRY_ASSIGN(const auto head, work.head());
  const auto step =
      std::ranges::find(past.steps.rbegin(), past.steps.rend(), head, &UndoStep::after);
  if (step != past.steps.rend()) return *step;
  if (!head.empty() && head == past.state.commit_at_start) return nothing_left();
  TRY_ASSIGN(const auto last, last_one(work, past));
  return fail(Code::usage,
              fmt::format("the branch is at {}, which is not a commit of the loop ({})",
                          head.empty() ? "no commit" : short_commit(head), last),
              "undo that first, or use 'git revert' for a single commit");
}

/// Where the branch was before an iteration; empty: there was no commit yet.
Result<std::string> before(const git::Worktree& work, const UndoStep& step) {
  if (!step.before.empty()) return step.before;
  return git::parent(work.program(), step.after);
}

/// What `commits` has beyond the iterations'; in the same order.
Result<std::vector<std::string>> made_by_others(const git::Worktree& work, const UndoPast& past,
                                                std::vector<std::string> commits) {
  std::set<std::string> known(commits.begin(), commits.end()), ours;
  for (const auto& step : past.steps) {
    // One that was undone, or is elsewhere.
    if (!known.contains(step.after)) continue;
    TRY_ASSIGN(const auto from, before(work, step));
    if (from.empty()) continue;
    TRY_ASSIGN(const auto made, git::commits_between(work.program(), from, step.after));
    ours.insert(made.begin(), made.end());
  }
  std::erase_if(commits, [&](const std::string& commit) { return ours.contains(commit); });
  return commits;
}

Result<> refuse_others(const git::Worktree& work, const std::vector<std::string>& others) {
  TRY_ASSIGN(const auto subject, git::subject(work.program(), others.back()));
  return fail(
      Code::usage,
      fmt::format("{} since the loop began {} not made by it; the first is {} '{}'",
                  counted(std::ssize(others), "commit"), others.size() == 1 ? "was" : "were",
                  short_commit(others.back()), utf8::shortened(subject, kMostSubject)),
      "to undo those too: --include-others");
}

/// What HEAD and the branch have beyond the start; the newest first.
Result<std::vector<std::string>> commits_to_leave(const git::Worktree& work,
                                                  const std::string& head, const std::string& tip,
                                                  const std::string& start) {
  std::vector<std::string> commits;
  if (!head.empty()) {
    TRY_ASSIGN(commits, git::commits_between(work.program(), start, head));
  }
  if (tip.empty() || tip == head) return commits;
  TRY_ASSIGN(const auto more, git::commits_between(work.program(), start, tip));
  for (const auto& commit : more) {
    if (std::ranges::find(commits, commit) == commits.end()) commits.push_back(commit);
  }
  return commits;
}

}  // namespace

Result<std::set<std::int64_t>> not_in_head(const git::Worktree& work, const UndoPast& past) {
  TRY_ASSIGN(const auto head, work.head());
  std::vector<std::string> commits;
  const auto& start = past.state.commit_at_start;
  if (!head.empty()) {
    TRY_ASSIGN(commits, start.empty() ? git::commits_to(work.program(), head)
                                      : git::commits_between(work.program(), start, head));
  }
  const std::set<std::string> present(commits.begin(), commits.end());
  std::set<std::int64_t> missing;
  for (const auto& step : past.steps) {
    if (present.contains(step.after)) {
      missing.erase(step.iteration);
    } else {
      missing.insert(step.iteration);
    }
  }
  return missing;
}

Result<Undo> plan_last(const git::Worktree& work, const UndoPast& past) {
  if (past.steps.empty()) return no_commit(past.state);
  TRY_ASSIGN(const auto step, step_at_head(work, past));
  TRY_ASSIGN(const auto to, before(work, step));
  if (to.empty()) {
    return fail(Code::usage,
                fmt::format("{} is the first commit of the repository: there is nothing to go "
                            "back to",
                            short_commit(step.after)));
  }
  TRY_ASSIGN(const auto commits, git::commits_between(work.program(), to, step.after));
  TRY_ASSIGN(const auto branch, work.branch());
  return Undo{step.after, to, branch, std::ssize(commits)};
}

Result<Undo> plan_all(const git::Worktree& work, const UndoPast& past, bool include_others) {
  const auto& state = past.state;
  const auto& start = state.commit_at_start;
  TRY_ASSIGN(const auto head, work.head());
  TRY_ASSIGN(const auto present, work.branch());
  auto branch = state.branch_at_start.empty() ? present : state.branch_at_start;
  if (branch == store::kDetachedHead) branch.clear();
  // A run that was killed may have committed before its record was written.
  if (past.steps.empty() && !state.current) return no_commit(past.state);
  if (start.empty()) {
    return fail(Code::usage,
                "the repository had no commit when the loop began: there is none to return to",
                "'ralph undo' undoes the commits after the first; 'git update-ref -d HEAD' "
                "undoes all of them and keeps the files");
  }
  TRY_ASSIGN(const auto tip,
             branch.empty() ? Result<std::string>(head) : git::commit_of(work.program(), branch));
  if (head == start && present == branch && tip == start) {
    return past.steps.empty() ? no_commit(state) : nothing_left();
  }
  TRY_ASSIGN(const auto commits, commits_to_leave(work, head, tip, start));
  TRY_ASSIGN(const auto others, made_by_others(work, past, commits));
  if (!others.empty() && !include_others) TRY(refuse_others(work, others));
  return Undo{head, start, branch, std::ssize(commits), std::ssize(others), present != branch};
}

}  // namespace ralph::cli

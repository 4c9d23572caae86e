#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_folder.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "cli/undo_plan.h"
#include "cli/undo_settings.h"
#include "core/base/names.h"
#include "core/base/own_output.h"
#include "core/base/time.h"
#include "core/json/writer.h"
#include "harness/loop/own_paths.h"
#include "harness/loop/step_record.h"
#include "harness/run/config_watch.h"
#include "harness/run/settings_around.h"
#include "harness/store/lock.h"
#include "harness/store/loop_state.h"
#include "harness/store/loop_state_store.h"
#include "harness/store/user_state.h"
#include "harness/store/workspace.h"
#include "system/git/kept_files.h"
#include "system/git/worktree.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kLongestName = 200;

using console::short_commit;

/// Names of files and refs are the agent's.
int report_safely(Error error, StdOutput& output) {
  error.message = console::safe_text(error.message);
  error.hint = console::safe_text(error.hint);
  return report(error, output);
}

struct Wish {
  bool all = false, include_others = false;
  std::string restore;  // a ref; empty: undo
};

store::LoopStateStore state_store() { return {project_root_of("."), store::user_state_folder()}; }

/// Everything an undo replaces is kept, so a loop that is known from `.ralph` alone can be undone too.
Result<UndoPast> read_past(store::LoopStateStore& store, std::vector<std::string>& warnings) {
  TRY_ASSIGN(auto loaded, store.load(store::LoopStateStore::Source::workspace));
  if (!loaded) {
    return fail(Code::not_found, "no loop has run in this directory",
                "run it in the directory where 'ralph loop' was started");
  }
  if (loaded->trusted) {
    warnings = loaded->warnings;
  } else {
    warnings = {
        "ralph has no trusted record of this loop; using .ralph/state, which an agent can "
        "write"};
  }
  const auto& records = loaded->records;
  UndoPast past{std::move(loaded->state),
                {},
                store::add_up(records).iterations,
                store::taken_back(records),
                loaded->trusted};
  const auto* last = store::last_worker_step(records);
  const auto stop = last != nullptr ? loop::stop_of(*last) : std::nullopt;
  if (stop && stop->reason == store::StopReason::done) past.done_tree = last->tree;
  for (const auto& record : records) {
    if (record.commit.empty()) continue;
    past.steps.push_back({record.commit_before, record.commit, record.iteration});
  }
  return past;
}

/// Settings that cannot be read are no reason not to undo.
git::CallLimits limits_of_settings() {
  git::CallLimits limits;
  if (const auto loaded = load_settings({}, {})) {
    limits.timeout = loaded->settings.duration(config::Key::git_timeout);
  }
  return limits;
}

Result<git::Worktree> open_work(const store::LoopState& state) {
  Error why_not;
  TRY_ASSIGN(auto work,
             git::Worktree::open(std::filesystem::current_path(), why_not, limits_of_settings()));
  if (!work) {
    return fail(why_not.code, why_not.message,
                why_not.code == Code::not_found ? "run 'ralph undo' in the repository of the loop"
                                                : why_not.hint);
  }
  work->leave_alone_before(state.files_before.value_or(state.started));
  work->know_moved(state.moved);
  work->leave_out_outputs(own_outputs_and(state.outputs));
  work->leave_out_own(loop::own_paths({.workspace = {}, .environment = environment()}));
  TRY(work->leave_out_paths(state.left_out));
  return *std::move(work);
}

std::string names_of(const std::vector<std::string>& paths) {
  std::string names;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostNamed); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ",
                         console::one_line(console::safe_text(paths[i]), kLongestName));
  }
  return paths.size() > kMostNamed ? names + " …" : names;
}

/// After an undo that was killed, the files are in neither state.
Result<> refuse_dirty(const git::Worktree& work) {
  TRY_ASSIGN(const auto dirty, work.dirty());
  if (dirty.empty()) return {};
  TRY_ASSIGN(const auto interrupted, work.interrupted());
  if (!interrupted.empty()) {
    return fail(
        Code::usage,
        fmt::format("an undo or a rollback was interrupted; there are changes that are not "
                    "committed: {}",
                    names_of(dirty)),
        fmt::format("to restore the state before it: ralph undo --restore {}", interrupted));
  }
  return fail(Code::usage,
              fmt::format("there are changes that are not committed: {}", names_of(dirty)),
              "commit or stash them ('git stash -u'), then undo");
}

/// What was undone is not done. Called before anything is undone: a kill then leaves a loop that can be resumed.
Result<> reopen(store::LoopStateStore& store, store::LoopState& state) {
  if (!state.end) return {};
  state.end = store::StopReason::undone;
  state.end_why.clear();
  state.status = store::LoopStatus::ended;
  return store.save(state);
}

/// The iterations that are taken back after this undo or restore. `before`: what not_in_head() named until then.
Result<std::vector<std::int64_t>> taken_back_now(const git::Worktree& work, const UndoPast& past,
                                                 const std::set<std::int64_t>& before) {
  TRY_ASSIGN(auto missing, not_in_head(work, past));
  const auto& known = past.taken_back;
  std::erase_if(missing, [&](std::int64_t iteration) {
    return before.contains(iteration) && std::ranges::find(known, iteration) == known.end();
  });
  return std::vector(missing.begin(), missing.end());
}

store::LoopRecord make_record(const UndoPast& past, std::vector<std::int64_t> taken_back) {
  store::LoopRecord record;
  record.step = store::LoopRecord::Step::undo;
  record.iteration = past.iterations;
  record.at = now_utc();
  record.taken_back = std::move(taken_back);
  return record;
}

Result<> record_undo(store::LoopStateStore& store, const git::Worktree& work, const UndoPast& past,
                     const Undo& undo, const std::set<std::int64_t>& before) {
  TRY_ASSIGN(auto iterations, taken_back_now(work, past, before));
  const auto what = iterations.empty() ? counted(static_cast<std::int64_t>(undo.commits), "commit")
                                       : store::iterations_text(iterations);
  auto record = make_record(past, std::move(iterations));
  record.progress =
      fmt::format("The user undid {} (ralph undo): the files are as they were at commit {}.", what,
                  short_commit(undo.to));
  TRY_ASSIGN(record.tree, work.tree());
  return store.append(record);
}

/// The record has no tree, unless the loop is done again: whether there are changes that are not committed is checked
/// when the loop is resumed.
Result<> record_restore(store::LoopStateStore& store, const git::Worktree& work, UndoPast past,
                        const std::string& ref, const std::set<std::int64_t>& before) {
  TRY_ASSIGN(auto iterations, taken_back_now(work, past, before));
  TRY_ASSIGN(const auto head, work.head());
  TRY_ASSIGN(const auto dirty, work.dirty());
  const auto gone = iterations.empty() ? std::string("no iteration is undone now")
                                       : store::iterations_text(iterations) +
                                             (iterations.size() == 1 ? " is" : " are") + " undone";
  auto record = make_record(past, std::move(iterations));
  record.progress = fmt::format(
      "The user restored an earlier state (ralph undo --restore {}): HEAD is at "
      "commit {}{}; {}.",
      ref, short_commit(head), dirty.empty() ? "" : ", with changes that are not committed", gone);
  TRY_ASSIGN(auto tree, work.tree());
  const bool done = past.trusted && !past.done_tree.empty() && tree == past.done_tree;
  if (done) record.tree = std::move(tree);
  if (past.state.end) {
    using store::StopReason;
    past.state.end = done                        ? StopReason::done
                     : record.taken_back.empty() ? StopReason::restored
                                                 : StopReason::undone;
    past.state.end_why.clear();
    TRY(store.save(past.state));
  }
  return store.append(record);
}

Result<Undo> undo(const Wish& wish, StdOutput& output) {
  // A directory without a loop gets no directory .ralph.
  auto store = state_store();
  std::vector<std::string> warnings;
  TRY(read_past(store, warnings));
  const auto workspace = store::Workspace::at(project_root_of("."));
  TRY_ASSIGN(const auto lock, store::Lock::take(workspace.lock_file(), store::LockUser::undo));
  TRY_ASSIGN(auto past, read_past(store, warnings));
  for (const auto& warning : warnings) warn(warning, output);
  if (past.trusted) TRY(store.prepare());
  TRY_ASSIGN(const auto work, open_work(past.state));
  TRY(work.ready());
  TRY_ASSIGN(auto undo,
             wish.all ? plan_all(work, past, wish.include_others) : plan_last(work, past));
  TRY(refuse_dirty(work));
  const auto name = fmt::format("undone-{}-{}", compact_utc(now_utc()), short_commit(undo.from));
  const auto state = past.state;
  TRY_ASSIGN(const auto before, not_in_head(work, past));
  TRY(reopen(store, past.state));
  auto settings = run::SettingsAround::look(work.root());
  auto kept = work.reset_to(undo.to, name, undo.branch, &undo.replaced);
  if (kept && past.trusted) know_settings_of_start(work, past.state, undo.to, settings);
  TRY(run::record_restored_settings(store::user_state_folder(), work.root(), settings));
  if (!kept) {
    if (state.end) TRY(store.save(state));
    return std::unexpected(kept.error());
  }
  undo.kept = *std::move(kept);
  TRY_ASSIGN(const auto back,
             git::put_back_missing(work, store::inputs_ref(past.state.loop_id), undo.to));
  if (!back.empty())
    warn(fmt::format("deleted during the loop, now restored: {}", names_of(back)), output);
  TRY(record_undo(store, work, past, undo, before));
  if (wish.all) undo.stashed = work.stash_entry(store::stash_message(past.state.loop_id));
  return undo;
}

/// The ref that holds what was there.
Result<std::string> restore(const std::string& ref, StdOutput& output) {
  auto store = state_store();
  std::vector<std::string> warnings;
  TRY(read_past(store, warnings));
  const auto workspace = store::Workspace::at(project_root_of("."));
  TRY_ASSIGN(const auto lock, store::Lock::take(workspace.lock_file(), store::LockUser::undo));
  TRY_ASSIGN(const auto past, read_past(store, warnings));
  for (const auto& warning : warnings) warn(warning, output);
  if (past.trusted) TRY(store.prepare());
  TRY_ASSIGN(const auto work, open_work(past.state));
  TRY_ASSIGN(const auto before, not_in_head(work, past));
  const auto settings = run::SettingsAround::look(work.root());
  auto kept = work.restore(ref, fmt::format("before-restore-{}", compact_utc(now_utc())));
  TRY(run::record_restored_settings(store::user_state_folder(), work.root(), settings));
  if (!kept) return kept;
  TRY(record_restore(store, work, past, ref, before));
  return kept;
}

std::string as_json(const Undo& undo) {
  std::string text;
  json::ObjectWriter(text)
      .text("from", undo.from)
      .text("to", undo.to)
      .number("commits", undo.commits)
      .number("others", undo.others)
      .text("branch", undo.branch)
      .text("kept", undo.kept)
      .number("replaced", std::ssize(undo.replaced))
      .close();
  return text + "\n";
}

std::string as_text(const Undo& undo) {
  constexpr std::string_view kBranches = "refs/heads/";
  const auto what = undo.commits == 1 ? "commit " + short_commit(undo.from)
                                      : fmt::format("{} commits", undo.commits);
  const auto others =
      undo.others == 0 ? "" : fmt::format(" ({} of them not made by the loop)", undo.others);
  std::string branch = "the branch";
  if (undo.other_branch) {
    branch = undo.branch.empty() ? "HEAD, on no branch,"
                                 : fmt::format("HEAD is on '{}' again, which",
                                               undo.branch.starts_with(kBranches)
                                                   ? undo.branch.substr(kBranches.size())
                                                   : undo.branch);
  }
  auto text =
      fmt::format("undid {}{}; {} is at {} again\n", what, others, branch, short_commit(undo.to));
  if (!undo.replaced.empty()) {
    text += fmt::format("overwritten by files of that commit, and kept in the ref below only: {}\n",
                        names_of(undo.replaced));
  }
  text += fmt::format("to redo: ralph undo --restore {}\n", undo.kept);
  if (undo.stashed.empty()) return text;
  return text +
         fmt::format("your changes from before the loop are stashed: git stash pop --index {}\n",
                     undo.stashed);
}

int restore_command(const Wish& wish, bool json, StdOutput& output) {
  const auto kept = restore(wish.restore, output);
  if (!kept) return report_safely(kept.error(), output);
  if (json) {
    std::string text;
    json::ObjectWriter(text).text("restored", wish.restore).text("kept", *kept).close();
    output.out(text + "\n");
    return 0;
  }
  output.out(
      fmt::format("restored {}\nto undo this: ralph undo --restore {}\n", wish.restore, *kept));
  return 0;
}

int undo_command(const Arguments& arguments, StdOutput& output) {
  const Wish wish{arguments.flag("all"), arguments.flag("include-others"),
                  std::string(arguments.value("restore"))};
  if (wish.include_others && !wish.all) {
    return report({Code::usage, "--include-others is for --all", "ralph undo --help"}, output);
  }
  if (arguments.flag("restore") && (wish.all || wish.restore.empty())) {
    return report(
        {Code::usage, "--restore needs the name of a ref and cannot be combined with --all",
         "'git for-each-ref refs/ralph' lists the saved states"},
        output);
  }
  const auto folder = folder_of(arguments);
  if (!folder) return report(folder.error(), output);
  std::error_code error;
  std::filesystem::current_path(*folder, error);
  if (error) {
    const auto what = fmt::format("cannot work in '{}'", folder->native());
    return report(fail_errno(error.value(), what).error(), output);
  }
  if (!wish.restore.empty()) return restore_command(wish, arguments.flag("json"), output);
  const auto done = undo(wish, output);
  if (!done) return report_safely(done.error(), output);
  output.out(arguments.flag("json") ? as_json(*done) : console::safe_text(as_text(*done)));
  return 0;
}

constexpr Option kUndoOptions[] = {
    {"--all", "", "undo all commits of the loop: branch, HEAD and files as at its start"},
    {"--include-others", "", "with --all: also undo commits that the loop did not make"},
    {"--restore", "REF", "restore the state saved in REF (commits, files, index); undoes an undo"},
    {"--json", "", "print what was done as a JSON object"},
    kCwdOption,
};
constexpr Example kUndoExamples[] = {
    {"ralph undo", "undo the last iteration"},
    {"ralph undo --all", "restore the branch and the files from before the loop"},
    {"git for-each-ref refs/ralph", "list the saved states"},
};

}  // namespace

constinit const Command kUndoCommand{
    "undo",
    "undo the last iteration committed by the loop in this directory",
    "Restores the branch and the files from before the iteration, including commits that the "
    "agent\n"
    "made itself. Requires that the branch is at a commit of the loop, that nothing is "
    "uncommitted\n"
    "and that no loop is running; --all works from any branch. The current state is saved under\n"
    "refs/ralph/ first, and the command that restores it is printed. The next 'ralph undo' undoes\n"
    "the iteration before. 'ralph loop --resume' continues from there.",
    {},
    kUndoOptions,
    kUndoExamples,
    undo_command,
};

}  // namespace ralph::cli

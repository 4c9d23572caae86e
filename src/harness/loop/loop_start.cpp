#include "harness/loop/loop_start.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/own_output.h"
#include "harness/loop/goal_file.h"
#include "harness/loop/interrupted_run.h"
#include "harness/loop/replaced_loop.h"
#include "harness/loop/resume_point.h"
#include "harness/loop/start_refs.h"
#include "harness/loop/step_record.h"
#include "harness/loop/unchanged_setup.h"
#include "harness/run/run.h"
#include "harness/store/budget.h"
#include "system/git/old_files.h"
#include "system/git/stale_locks.h"

namespace ralph::loop {

Result<> LoopStart::start() {
  store::sweep_tmp(keeper_.workspace());
  TRY(parts_.settings.begin(setup_, keeper_.workspace(), reporter_));
  TRY(parts_.verifier.open());
  TRY(check_agent());
  if (auto outside = keeper_.store().prepare(); !outside) {
    reporter_.warn_at_start(fmt::format(
        "the state of this loop cannot be stored outside the workspace: {}; 'ralph loop "
        "--resume' will need --accept-changes",
        describe(outside.error())));
  }
  std::string warning;
  // Moves an unreadable one aside.
  TRY(store::load_budget(keeper_.workspace().budget_file(), warning));
  if (!warning.empty()) reporter_.warn_at_start(warning);
  TRY_ASSIGN(auto old, load_old());
  if (old && !old->aside.empty()) {
    // A ralph was killed while it put the loop before it aside.
    TRY(keeper_.store().put_records_aside(old->aside));
    old->aside.clear();
  }
  if (!setup_.resumed) return begin_new(old);
  if (old) return resume(*std::move(old));
  return fail(Code::usage, "there is no loop to resume here", "start one: ralph loop GOAL.md");
}

/// Before anything is written: an agent that cannot be started leaves nothing.
Result<> LoopStart::check_agent() const {
  auto probe = setup_.request;
  probe.ask.prompt = std::string("-");
  if (!probe.ask.max_cost) probe.ask.max_cost = setup_.options.budget.cost_per_day_usd;
  std::vector<std::string> ignored;
  TRY(run::prepare(probe, ignored));
  return {};
}

/// What a new loop takes over is its cost only: for that the copy in the workspace is better than nothing.
Result<std::optional<store::LoopState>> LoopStart::load_old() {
  using enum store::LoopStateStore::Source;
  const bool strict = setup_.resumed && !setup_.options.accept_changes;
  std::string warning;
  if (!strict) TRY(keeper_.files().load(warning));  // moves an unreadable one aside
  if (!warning.empty()) reporter_.warn_at_start(warning);
  TRY_ASSIGN(auto loaded, keeper_.store().load(strict ? trusted : workspace));
  if (!loaded) {
    std::int64_t bad = 0;
    TRY_ASSIGN(auto records, keeper_.files().records(bad));
    keeper_.set_records(std::move(records));
    return std::nullopt;
  }
  if (setup_.resumed) {
    for (auto& text : loaded->warnings) reporter_.warn_at_start(std::move(text));
  }
  keeper_.set_records(std::move(loaded->records));
  if (loaded->trusted) {
    outputs_ = loaded->state.outputs;
    return std::move(loaded->state);
  }
  TRY(keeper_.store().adopt(loaded->state, keeper_.records()));
  if (setup_.resumed) {
    // Verify again: the stored end is not trusted.
    unsure_of_end_ = true;
    loaded->state.end.reset();
    loaded->state.end_why.clear();
    loaded->state.current.reset();
  }
  return std::move(loaded->state);
}

/// What a run had cost whose ralph was killed, when its loop is not resumed.
Result<> LoopStart::record_interrupted(const store::LoopState& old) {
  if (!old.current) return {};
  const auto& current = *old.current;
  const auto& records = keeper_.records();
  if (std::ranges::find(records, current.run_id, &store::LoopRecord::run_id) != records.end())
    return {};
  TRY_ASSIGN(auto run, read_interrupted_run(setup_, keeper_.workspace(), current.run_id));
  if (!run.warning.empty()) reporter_.warn_at_start(std::move(run.warning));
  auto record = make_record(store::LoopRecord::Step::attempt, current, run.outcome,
                            setup_.request.host.root(), parts_.clock.now());
  record.outcome = store::LoopDecision::interrupted;
  record.failure = "interrupted";
  return keeper_.append(std::move(record));
}

Result<> LoopStart::put_old_aside(const store::LoopState& old) {
  TRY(keeper_.files().put_aside(old));
  if (old.end) return {};
  reporter_.warn_at_start(
      fmt::format("the loop {} had not ended: it is kept as loop-{}.json, and a new one starts",
                  old.loop_id, old.loop_id));
  return {};
}

void LoopStart::set_goal() {
  auto& state = keeper_.state;
  state.goal = setup_.goal;
  state.goal_file = setup_.goal_file;
  state.goal_path = setup_.goal_path.native();
  state.goal_seen = setup_.goal_seen;
}

void LoopStart::set_verification() {
  auto& state = keeper_.state;
  state.verify_digest = parts_.verifier.verifier().files().digest();
  state.verify_programs = parts_.verifier.verifier().files().programs();
  state.protected_digest = parts_.verifier.protected_digest();
}

void LoopStart::describe_setup() {
  auto& state = keeper_.state;
  state.settings = setup_.settings;
  state.backend = setup_.request.backend->name;
  state.model = setup_.request.ask.model;
  state.verify = parts_.verifier.commands();
  state.flags = setup_.flags;
  state.left_out = parts_.repository.left_out_paths();
  state.outputs = outputs_;
  const auto& budget = setup_.options.budget;
  state.max_iterations = budget.iterations > 0 ? std::optional(budget.iterations) : std::nullopt;
  state.max_cost_usd = budget.cost_usd;
  state.max_cost_per_day_usd = budget.cost_per_day_usd;
  state.max_time = budget.time;
}

Result<> LoopStart::open_repository() {
  outputs_ = own_outputs_and(outputs_);
  return parts_.repository.open(outputs_);
}

Result<> LoopStart::begin_new(const std::optional<store::LoopState>& old) {
  TRY(open_repository());
  if (setup_.options.commit) TRY(parts_.user_files.stash_or_refuse());
  if (old) TRY(record_interrupted(*old));
  auto days = store::add_up(keeper_.records()).days;
  if (old) {
    days = store::merge_days(old->earlier_days, days);
    TRY(put_old_aside(*old));
  }
  keeper_.files().forget_stop();
  auto& state = keeper_.state;
  state = {};
  state.loop_id = setup_.loop_id;
  state.started = keeper_.began_at();
  state.earlier_days = std::move(days);
  set_goal();
  TRY(begin_repository());
  TRY(parts_.verifier.prepare(keeper_.store().user()));
  set_verification();
  if (setup_.options.rollback && state.commit_at_start.empty()) {
    reporter_.warn_at_start("there is no commit yet: the first iteration cannot be rolled back");
  }
  if (!keeper_.records().empty() || keeper_.files().has_records()) {
    state.aside = old ? old->loop_id : "before-" + setup_.loop_id;
  }
  if (old && (old->current || has_work(keeper_.records()))) {
    parts_.replaced = ReplacedLoop{*old, keeper_.records()};
  }
  keeper_.set_records({});
  describe_setup();
  TRY(keeper_.save());
  if (state.aside.empty()) return {};
  TRY(keeper_.store().put_records_aside(state.aside));
  state.aside.clear();
  return keeper_.save();
}

/// What a new loop has to know of the repository: where it began, and which files were there before.
Result<> LoopStart::begin_repository() {
  auto* const git = parts_.repository.git();
  auto& state = keeper_.state;
  state.tree_at_start = parts_.repository.content();
  state.commit_at_start = parts_.repository.head();
  state.git_digest = parts_.repository.settings_digest();
  if (git == nullptr) return {};
  TRY_ASSIGN(state.branch_at_start, parts_.repository.branch());
  keep_start_refs(*git, state.loop_id, reporter_);
  if (!setup_.options.commit) return {};
  parts_.user_files.keep_copies(state);
  TRY_ASSIGN(state.files_before, git::file_time_now(git->root()));
  git->leave_alone_before(*state.files_before);
  TRY(git->remember_tracked(state.commit_at_start, {}));
  if (const auto name = git->name_of_commits(); !name.empty()) {
    reporter_.warn_at_start(fmt::format(
        "user.name and user.email of git are not set: the author of the commits is {}", name));
  }
  if (git->wants_signatures()) {
    reporter_.warn_at_start(
        "commit.gpgsign is set, but the commits of the loop are not signed: there is no "
        "terminal for a passphrase");
  }
  return {};
}

/// A git that was killed with the last ralph or its agent left locks behind, which git itself never removes.
void LoopStart::remove_stale_locks(const store::LoopState& old) {
  const auto* const git = parts_.repository.git();
  if (git == nullptr || !old.current) return;
  for (const auto& file :
       git::remove_stale_locks(git->program(), old.current->branch, old.current->began)) {
    reporter_.warn_at_start(fmt::format("removed '{}', left by a killed git", file.native()));
  }
}

/// The repository of a resumed loop: what it left out before is left out again.
Result<> LoopStart::resume_repository() {
  auto& state = keeper_.state;
  auto& repository = parts_.repository;
  auto* const git = repository.git();
  state.git_digest = repository.settings_digest();
  if (git == nullptr) return {};
  TRY_ASSIGN(state.branch_at_start, repository.branch());
  TRY(parts_.user_files.leave_out_again(state));
  if (setup_.options.commit) {
    git->leave_alone_before(state.files_before.value_or(state.started));
    TRY(git->remember_tracked(state.commit_at_start, state.moved));
  }
  keep_start_refs(*git, state.loop_id, reporter_);
  parts_.user_files.keep_copies(state);
  return {};
}

Result<> LoopStart::resume(store::LoopState old) {
  TRY(open_repository());
  remove_stale_locks(old);
  auto& state = keeper_.state;
  state = std::move(old);  // what was there at the start
  TRY(parts_.verifier.prepare(keeper_.store().user()));
  const auto& verifier = parts_.verifier.verifier();
  TRY(check_unchanged_setup(setup_, state, verifier, parts_.repository));
  TRY(parts_.verifier.recover_protected());
  TRY(check_goal(state.goal));
  if (setup_.goal.empty()) parts_.setup.goal = state.goal;
  TRY(resume_repository());
  const bool was_over = state.end.has_value();
  if (was_over && state.ended) {
    parts_.past_end = PastEnd{*state.end, *state.ended, state.ran, keeper_.records().size()};
  }
  const auto point =
      resume_point(state, setup_, verifier.files().digest(), std::ssize(keeper_.records()));
  if (setup_.options.commit && !state.current && !point.done) {
    TRY(parts_.user_files.check_unchanged(state, keeper_.records()));
  }
  keeper_.files().forget_stop();
  using enum Loop::Before;
  parts_.before = unsure_of_end_ || !point.same_checks ? unsure : was_over ? ended : not_over;
  state.fresh_from = point.fresh_from;
  keeper_.count_again();
  keeper_.set_ran_before(state.ran);
  set_goal();
  parts_.goal.note = setup_.goal_note;
  set_verification();
  state.findings.clear();
  state.would_wait = Millis::zero();
  if (!point.done) {
    state.end.reset();
    state.end_why.clear();
  }
  describe_setup();
  TRY(keeper_.store().rewrite_copy(keeper_.records()));
  return keeper_.save();
}

}  // namespace ralph::loop

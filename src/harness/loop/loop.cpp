#include "harness/loop/loop.h"

#include <algorithm>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/loop/loop_impl.h"

namespace ralph::loop {

bool Control::stop(int signal_number) {
  int none = 0;
  if (asked_.compare_exchange_strong(none, signal_number)) return false;
  runs_.end(signal_number);
  return true;
}

void Control::stop_now(int signal_number) {
  int none = 0;
  asked_.compare_exchange_strong(none, signal_number);
  runs_.end(signal_number);
}

Loop::Loop(Setup setup, Observer& observer, Control& control, const Masker& masker)
    : setup_(std::move(setup)),
      observer_(observer),
      control_(control),
      masker_(masker),
      store_(setup_.request.host.root(), setup_.state_folder),
      guidance_(setup_.request.host.root(), setup_.state_folder) {}

Result<> Loop::save() {
  state_.pid = ::getpid();
  state_.updated = now_utc();
  state_.ran = elapsed();
  if (!state_.end && state_.status != LoopStatus::waiting) state_.status = LoopStatus::running;
  state_.backend = setup_.request.backend->name;
  state_.model = setup_.request.ask.model;
  state_.verify = verifier_->names();
  state_.flags = setup_.flags;
  if (git_) {
    const auto& paths = git_->left_out_paths();
    state_.left_out.assign(paths.begin(), paths.end());
  }
  state_.outputs = outputs_;
  const auto& budget = setup_.options.budget;
  state_.max_iterations = budget.iterations > 0 ? std::optional(budget.iterations) : std::nullopt;
  state_.max_cost_usd = budget.cost_usd;
  state_.max_cost_per_day_usd = budget.cost_per_day_usd;
  state_.max_time = budget.time;
  TRY(mend_workspace());
  TRY(store_.save(state_));
  return save_budget();
}

/// For other programs; the loop itself goes by its records.
Result<> Loop::save_budget() {
  const store::Budget now{.total_cost_usd = totals_.cost_usd,
                          .max_cost_usd = state_.max_cost_usd,
                          .iterations = totals_.iterations,
                          .max_iterations = state_.max_iterations};
  if (saved_budget_ == now) return {};
  TRY(store::save_budget(workspace_->budget_file(), now));
  saved_budget_ = now;
  return {};
}

Millis Loop::elapsed() const {
  return ran_before_ +
         std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - began_);
}

void Loop::note(stream::Level level, std::string_view text) { observer_.note(level, text); }

/// The last ralph was killed behind the record of the last iteration, before it wrote down that the loop is over.
Loop::Over Loop::end_not_written() const {
  if (ended_before_ || unsure_of_end_ || records_.empty()) return std::nullopt;
  const auto& last = records_.back();
  return last.step == Record::Step::iteration ? end_of(last) : std::nullopt;
}

Report Loop::go() {
  for (const auto& warning : setup_.warnings) note(stream::Level::warning, warning);
  observer_.started(state_, records_);
  if (!goal_note_.empty()) note(stream::Level::info, goal_note_);
  Over over;
  if (state_.end == StopReason::done) {
    note(stream::Level::info, "the loop was done already");
    over = LoopStop{StopReason::done};
    changed_since_done_ = records_.empty() || content() != records_.back().tree;
  }
  const bool protects = setup_.options.verify_clean || !protect_.empty();
  const auto notice = protects ? protection_notice() : verifier_->notice();
  if (!over && !notice.empty()) note(stream::Level::info, notice);
  if (!over) over = recover();
  if (!over) over = end_not_written();
  while (!over) over = step();
  note_changed_settings();
  return report(*over);
}

/// What the agent, or its code in verification, left for later.
void Loop::note_changed_settings() {
  if (protected_) {
    const auto folder = workspace_->run_folder(state_.loop_id).path() / "removed";
    for (const auto& line : protected_->restore(folder)) note(stream::Level::warning, line);
  }
  const auto changed = config_watch_->finish();
  for (const auto& line :
       run::changed_settings(*config_watch_, changed, setup_.request.host.workspace)) {
    note(stream::Level::warning, line);
  }
}

Loop::Over Loop::stop_asked() const {
  if (!control_.wants_end() && !files_.asked_to_stop()) return std::nullopt;
  const int signal = control_.signal();
  return LoopStop{StopReason::stopped, stopped_by(signal), 128 + (signal == 0 ? SIGINT : signal)};
}

std::optional<StopReason> Loop::limit_now() const {
  return limit_reached(setup_.options.budget, totals_, state_.earlier_days, elapsed(), now_utc());
}

std::string Loop::why_limit(StopReason limit) const {
  if (limit != StopReason::failures || records_.empty()) return {};
  const auto last = failure_reason(records_.back().progress);
  return fmt::format("{}, the last one: {}", totals_.failures_in_a_row,
                     last.substr(0, last.find('\n')));
}

Loop::Over Loop::step() {
  if (storage_) {
    return LoopStop{StopReason::agent, describe(*storage_),
                  stream::row(stream::Outcome::storage_failed).exit_code};
  }
  if (auto asked = stop_asked()) return asked;
  if (const auto limit = limit_now()) return LoopStop{*limit, why_limit(*limit)};
  return summary_is_due() ? summarize() : iterate();
}

/// About once a second somebody is asked whether to go on.
Loop::Over Loop::wait(std::string_view why, Millis pause) {
  const auto& time = setup_.options.budget.time;
  if (time > Millis::zero() && elapsed() + pause >= time) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause);
    return LoopStop{StopReason::time,
                  fmt::format("{}; the next try would be in {}, after the limit", why,
                              format_duration(seconds)),
                  {},
                  pause};
  }
  state_.status = LoopStatus::waiting;
  state_.waiting_for = why;
  state_.waiting_until = now_utc() + pause;
  if (auto saved = save(); !saved) storage_ = saved.error();
  const auto from = std::chrono::steady_clock::now();
  const auto until = from + pause;
  control_.set_waiting(true);
  for (;;) {
    const auto left = std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
    if (left <= Millis::zero() || stop_asked() || observer_.waiting(why, left)) break;
    if (!control_.runs().wait(std::min(left, Millis{1000}))) break;
  }
  control_.set_waiting(false);
  state_.waited += std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - from);
  state_.status = LoopStatus::running;
  state_.waiting_until.reset();
  state_.waiting_for.clear();
  return std::nullopt;
}

Report Loop::report(const LoopStop& ending) {
  state_.status = LoopStatus::ended;
  state_.end = ending.end;
  state_.end_why = ending.why;
  if (auto saved = save(); !saved && !storage_) storage_ = saved.error();
  Report report;
  report_lost_refs();
  const bool nothing = did_nothing(ending);
  if (nothing) bring_back_stash();
  if (before_ && nothing) {
    report.gave_way_to = before_->state.loop_id;
    if (auto back = bring_back_before(); !back && !storage_) storage_ = back.error();
  }
  files_.forget_stop();
  report.end = ending.end;
  report.started = state_.started;
  report.ended = now_utc();
  std::string ignored;
  report.guidance_left = std::ssize(guidance_.pending(ignored));
  report.has_git = git_.has_value();
  if (git_) {
    report.stash_entry = git_->stash_entry(stash_message(state_.loop_id));
    if (!report.stash_entry.empty()) report.stash = "refs/ralph/" + stash_name(state_.loop_id);
  }
  report.model = model_used(records_);
  report.taken_back = taken_back(records_);
  report.why = ending.why;
  report.exit_code = ending.exit_code.value_or(stream::row(row(ending.end).outcome).exit_code);
  if (storage_ && report.exit_code == 0) {
    report.exit_code = stream::row(stream::Outcome::storage_failed).exit_code;
    report.why = describe(*storage_);
  }
  report.loop_id = state_.loop_id;
  report.totals = totals_;
  report.days = days_together(state_.earlier_days, totals_.days);
  report.elapsed = elapsed();
  report.state_folder = files_.folder();
  const auto now = ending.end == StopReason::tampered ? std::string() : content();
  if (git_ && !now.empty() && !state_.tree_at_start.empty()) {
    report.from = state_.tree_at_start;
    report.to = now;
    if (auto files = git_->changes(*report.from, *report.to)) report.files = *std::move(files);
    report_tests(report.files);
    report_inner_repositories();
    report_left_out(report.files);
  }
  report_branch(ending);
  report.findings = findings_;
  auto findings = findings_;
  if (changed_since_done_) {
    findings.emplace_back("files were changed since verification, and not verified again");
  }
  if (!findings.empty() && report.gave_way_to.empty()) {
    state_.findings = std::move(findings);
    if (auto saved = save(); !saved && !storage_) storage_ = saved.error();
  }
  const bool verified_by_these =
      ending.end == StopReason::done || std::ssize(records_) > state_.fresh_from;
  if (verified_by_these && !records_.empty() && records_.back().verification &&
      records_.back().verification->passed) {
    report.verified = how_known(records_.back());
    report.changed_since_verified = changed_since_done_;
    // What is there now is not what was verified.
    if (changed_since_done_ && report.exit_code == 0) {
      report.exit_code = stream::row(stream::Outcome::limit_reached).exit_code;
    }
  }
  report.budget = setup_.options.budget;
  report.waited = state_.waited;
  report.would_wait = ending.would_wait;
  report.state_is_trusted = store_.user() != nullptr;
  if (ending.end != StopReason::tampered) report_commits(report);
  // With --commit what changed is in commits, whose ids are those of `git log`.
  if (report.commit_count > 0 && setup_.options.commit && ending.end != StopReason::not_committed) {
    if (!state_.commit_at_start.empty()) report.from = state_.commit_at_start;
    report.to = head();
  }
  return report;
}

/// What the branch has beyond the commit of the start.
void Loop::report_commits(Report& report) const {
  constexpr std::size_t kMost = 10;
  const auto now = head();
  if (!git_ || now.empty()) return;
  const auto ids = state_.commit_at_start.empty()
                       ? git_->commits_to(now)
                       : git_->commits_between(state_.commit_at_start, now);
  if (!ids) return;
  report.commit_count = std::ssize(*ids);
  for (std::size_t i = 0; i < std::min(ids->size(), kMost); ++i) {
    report.commits.push_back({(*ids)[i], git_->subject((*ids)[i]).value_or("")});
  }
}

Report work(Setup setup, Observer& observer, Control& control, const Masker& masker) {
  Loop loop(std::move(setup), observer, control, masker);
  if (auto begun = loop.begin(); !begun) {
    loop.give_up();
    Report report;
    report.start_error = begun.error();
    report.exit_code = stream::row(run::outcome_of(begun.error())).exit_code;
    return report;
  }
  return loop.go();
}

}  // namespace ralph::loop

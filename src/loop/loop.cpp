#include "loop/loop.h"

#include <algorithm>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "loop/loop_impl.h"
#include "store/private_files.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kMostDays = 60;

/// What all loops of the workspace cost, by day: the newest days.
std::map<std::string, double> days_together(std::map<std::string, double> days,
                                            const std::map<std::string, double>& more) {
  for (const auto& [day, cost] : more) days[day] += cost;
  while (days.size() > kMostDays) days.erase(days.begin());
  return days;
}

Error nothing_to_resume() {
  return {Code::usage, "there is no loop to resume in this folder",
          "begin one: ralph loop GOAL.md"};
}

}  // namespace

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
      files_(setup_.request.host.workspace) {}

Result<> Loop::begin() {
  const auto& folder = setup_.request.host.workspace;
  TRY_ASSIGN(workspace_, store::Workspace::open(folder));
  TRY_ASSIGN(auto lock, store::Lock::take(workspace_->lock_file(), "ralph loop"));
  lock_.emplace(std::move(lock));
  store::sweep_tmp(*workspace_);
  TRY(store::make_private_folder(files_.folder()));
  TRY_ASSIGN(verifier_,
             Verifier::make({folder, setup_.request.host.own_env, setup_.options.verify_limit},
                            setup_.options.verify));
  // Before anything is written: what cannot be started shall leave nothing.
  auto probe = setup_.request;
  probe.ask.prompt = "-";
  std::vector<std::string> ignored;
  TRY(run::prepare(probe, ignored));
  std::string warning;
  TRY_ASSIGN(auto old, files_.load(warning));
  if (!warning.empty()) setup_.warnings.push_back(warning);
  TRY(take_over(std::move(old)));
  return save();
}

Result<> Loop::take_over(std::optional<State> old) {
  std::int64_t bad = 0;
  TRY_ASSIGN(records_, files_.records(bad));
  if (bad > 0) {
    setup_.warnings.push_back(fmt::format("{} lines of '{}' cannot be read and are left out", bad,
                                          (files_.folder() / "progress.ndjson").native()));
  }
  if (!setup_.resumed) return begin_anew(old);
  if (!old) return std::unexpected(nothing_to_resume());
  return go_on_with(*std::move(old));
}

Result<> Loop::begin_anew(const std::optional<State>& old) {
  const auto earlier = old ? days_together(old->earlier_days, add_up(records_).days)
                           : std::map<std::string, double>();
  if (old || !records_.empty())
    TRY(files_.put_aside(old ? *old : State{.loop_id = setup_.loop_id}));
  if (old && old->end.empty()) {
    setup_.warnings.push_back(
        fmt::format("the loop {} was not over: it is kept as loop-{}.json, and a new one begins",
                    old->loop_id, old->loop_id));
  }
  files_.forget_stop();
  records_.clear();
  TRY(prepare_git());
  state_ = {};
  state_.loop_id = setup_.loop_id;
  state_.started = now_utc();
  state_.earlier_days = earlier;
  state_.goal = setup_.goal;
  state_.goal_file = setup_.goal_file;
  state_.verify_digest = verifier_->digest();
  state_.tree_at_start = content();
  state_.commit_at_start = head();
  return {};
}

Result<> Loop::go_on_with(State old) {
  if (old.verify_digest != verifier_->digest() && !setup_.options.accept_changed_verify) {
    return fail(
        Code::usage, "the commands of verification are not those the loop began with",
        "look at 'verify' and .ralph/check; --accept-changed-verify takes them as they are");
  }
  files_.forget_stop();
  totals_ = add_up(records_);
  state_ = std::move(old);
  ran_before_ = state_.ran;
  if (setup_.goal.empty()) setup_.goal = state_.goal;
  state_.goal = setup_.goal;
  state_.verify_digest = verifier_->digest();
  ended_before_ = !state_.end.empty();
  if (state_.end != row(End::done).name) {
    state_.end.clear();
    state_.end_why.clear();
  }
  std::string why_not;
  TRY_ASSIGN(git_, git::Work::open(setup_.request.host.workspace, why_not));
  if (setup_.options.commit && !git_) {
    return fail(Code::usage, "--commit needs a git repository: " + why_not);
  }
  return {};
}

/// A tree the user has changes in is not ours to commit.
Result<> Loop::prepare_git() {
  std::string why_not;
  TRY_ASSIGN(git_, git::Work::open(setup_.request.host.workspace, why_not));
  if (!setup_.options.commit) return {};
  if (!git_) {
    return fail(Code::usage, "--commit needs a git repository: " + why_not,
                "run 'git init', or leave --commit out");
  }
  TRY_ASSIGN(const auto dirty, git_->dirty());
  if (dirty.empty()) return {};
  if (!setup_.options.stash) {
    return fail(Code::usage,
                fmt::format("{} files have changes that are not committed, '{}' first",
                            dirty.size(), dirty.front()),
                "commit them, or let --stash put them aside, or leave --commit out");
  }
  TRY_ASSIGN(const bool stashed, git_->stash(fmt::format("before ralph loop {}", setup_.loop_id)));
  if (stashed)
    setup_.warnings.push_back("your changes were stashed: 'git stash pop' brings them back");
  return {};
}

Result<> Loop::save() {
  state_.pid = ::getpid();
  state_.updated = now_utc();
  state_.ran = elapsed();
  if (state_.end.empty() && state_.status != "waiting") state_.status = "running";
  state_.backend = setup_.request.backend->name;
  state_.model = setup_.request.ask.model;
  state_.flags = setup_.flags;
  const auto& budget = setup_.options.budget;
  state_.max_iterations = budget.iterations > 0 ? std::optional(budget.iterations) : std::nullopt;
  state_.max_cost_usd = budget.cost_usd;
  TRY(workspace_->check());
  return files_.save(state_);
}

Millis Loop::elapsed() const {
  return ran_before_ +
         std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - began_);
}

void Loop::note(stream::Level level, std::string_view text) { observer_.note(level, text); }

/// The last ralph was killed behind the record of the last iteration, before it wrote down that the loop is over.
Loop::Over Loop::end_not_written() const {
  if (ended_before_ || records_.empty()) return std::nullopt;
  const auto& last = records_.back();
  return last.step == Record::Step::iteration ? end_of(last) : std::nullopt;
}

Report Loop::go() {
  for (const auto& warning : setup_.warnings) note(stream::Level::warning, warning);
  observer_.started(state_, records_);
  Over over;
  if (state_.end == row(End::done).name) {
    note(stream::Level::info, "the loop was done already");
    over = Ending{End::done};
  }
  if (!over) over = recover();
  if (!over) over = end_not_written();
  while (!over) over = step();
  return report(*over);
}

Loop::Over Loop::stop_asked() const {
  if (!control_.wants_end() && !files_.asked_to_stop()) return std::nullopt;
  const int signal = control_.signal() != 0 ? control_.signal() : SIGINT;
  return Ending{End::stopped, {}, 128 + signal};
}

Loop::Over Loop::step() {
  if (storage_) {
    return Ending{End::agent, describe(*storage_),
                  stream::row(stream::Outcome::storage_failed).exit_code};
  }
  if (auto asked = stop_asked()) return asked;
  if (const auto limit = limit_reached(setup_.options.budget, totals_, state_.earlier_days,
                                       elapsed(), now_utc())) {
    return Ending{*limit};
  }
  if (summary_is_due()) {
    summarize();
    return std::nullopt;
  }
  return iterate();
}

/// About once a second somebody is asked whether to go on.
Loop::Over Loop::wait(std::string_view why, Millis pause) {
  const auto& time = setup_.options.budget.time;
  if (time > Millis::zero() && elapsed() + pause >= time) {
    return Ending{End::time,
                  fmt::format("{}; it would have to wait {}", why, format_duration(pause))};
  }
  state_.status = "waiting";
  state_.waiting_for = why;
  state_.waiting_until = now_utc() + pause;
  if (auto saved = save(); !saved) storage_ = saved.error();
  const auto until = std::chrono::steady_clock::now() + pause;
  for (;;) {
    const auto left = std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
    if (left <= Millis::zero() || stop_asked() || observer_.waiting(why, left)) break;
    if (!control_.runs().wait(std::min(left, Millis{1000}))) break;
  }
  state_.status = "running";
  state_.waiting_until.reset();
  state_.waiting_for.clear();
  return std::nullopt;
}

Report Loop::report(const Ending& ending) {
  state_.status = "ended";
  state_.end = row(ending.end).name;
  state_.end_why = ending.why;
  if (auto saved = save(); !saved && !storage_) storage_ = saved.error();
  files_.forget_stop();
  Report report;
  report.end = ending.end;
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
  const auto now = content();
  if (git_ && !now.empty() && !state_.tree_at_start.empty()) {
    report.from = state_.tree_at_start;
    report.to = now;
    if (auto files = git_->changes(*report.from, *report.to)) report.files = *std::move(files);
  }
  return report;
}

Report work(Setup setup, Observer& observer, Control& control, const Masker& masker) {
  Loop loop(std::move(setup), observer, control, masker);
  if (auto begun = loop.begin(); !begun) {
    Report report;
    report.not_begun = begun.error();
    report.exit_code = stream::row(run::outcome_of(begun.error())).exit_code;
    return report;
  }
  return loop.go();
}

}  // namespace ralph::loop

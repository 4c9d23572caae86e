#include "harness/loop/worker.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/base/names.h"
#include "core/base/safe_text.h"
#include "core/base/utf8.h"
#include "harness/loop/agent_runner.h"
#include "harness/loop/done_check.h"
#include "harness/loop/prompt_parts.h"
#include "harness/loop/run_requests.h"
#include "harness/loop/step_record.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLongestSubject = 72;

std::string commit_message(const store::LoopRecord& record) {
  auto words = safe_text(store::progress_text(record));
  const auto subject = utf8::shortened(words.substr(0, words.find('\n')), kLongestSubject);
  const bool refused = record.is(store::LoopDecision::refused);
  if (refused) words += "\n\nThe agent said DONE; verification refused it.";
  return fmt::format("ralph: iteration {}{}: {}\n\n{}\n", record.iteration,
                     refused ? ", DONE refused" : "", subject, words);
}

store::RunInfo worker_run(const store::Current& current) {
  return {store::AgentRole::worker, current.iteration, current.run_id};
}

}  // namespace

/// Starts of the iteration so far that do not count, and this one.
std::int64_t Worker::attempt_of(std::int64_t iteration) const {
  return 1 + std::ranges::count_if(loop_.keeper.records(), [&](const store::LoopRecord& record) {
           return record.step == store::LoopRecord::Step::attempt &&
                  record.iteration == iteration && !record.is(store::LoopDecision::no_summary);
         });
}

MaybeStop Worker::iterate() {
  const auto iteration = loop_.keeper.totals().iterations + 1;
  loop_.goal.use_edit();
  std::string prompt;
  const bool started = start(iteration, prompt);
  if (const auto& error = loop_.repository.tampered()) {
    return LoopStop{store::StopReason::tampered, describe(*error)};
  }
  if (!started) return std::nullopt;
  auto outcome = run_agent(iteration, std::move(prompt));
  const store::Current current = *loop_.keeper.state.current;  // record_step() resets it
  return finish_iteration(current, std::move(outcome));
}

/// Makes the prompt. False: the start could not be recorded, or the repository cannot be read or trusted.
bool Worker::start(std::int64_t iteration, std::string& prompt) {
  const auto& state = loop_.keeper.state;
  store::Current current{
      iteration, make_run_id(), loop_.clock.now(), store::Phase::agent, {}, {}, {}, {}};
  current.tree_before = std::exchange(left_content_, {});
  if (current.tree_before.empty()) current.tree_before = loop_.repository.content();
  if (loop_.repository.tampered()) {
    loop_.keeper.state.current = std::move(current);
    return false;
  }
  if (loop_.keeper.storage_error()) return false;
  current.commit_before = loop_.repository.head();
  current.branch = state.branch_at_start == store::kDetachedHead ? "" : state.branch_at_start;
  std::string refused;
  const auto guidance = loop_.guidance.pending(refused);
  if (!refused.empty() && refused != refused_guidance_) loop_.reporter.warn(refused);
  refused_guidance_ = refused;
  for (const auto& each : guidance) current.guidance.push_back(each.name);
  const auto run = worker_run(current);
  if (!save_started(loop_, std::move(current))) return false;
  loop_.reporter.step(store::IterationStarted{iteration, run.role, run.run_id});
  if (!guidance.empty()) {
    loop_.reporter.step(store::GuidanceTaken{iteration, std::ssize(guidance)});
  }
  std::vector<std::string> cuts;
  prompt = make_prompt(loop_.setup.form,
                       prompt_parts(loop_.setup, state.goal, loop_.keeper.records(), guidance,
                                    loop_.verifier.commands()),
                       loop_.setup.options.caps, cuts);
  for (const auto& cut : cuts) loop_.reporter.warn(cut);
  return true;
}

RunOutcome Worker::run_agent(std::int64_t iteration, std::string prompt) {
  const auto current = *loop_.keeper.state.current;
  auto request = loop_.budget.limited(worker_request(
      loop_.setup, current.run_id, {iteration, attempt_of(iteration)}, std::move(prompt)));
  if (!loop_.goal.note.empty()) request.notes.push_back(loop_.goal.note);
  auto outcome = loop_.runner.run(std::move(request), worker_run(current));
  log_removed_ = repair_after_run(loop_, outcome);
  return outcome;
}

void Worker::warn_of_ignored_done(const RunOutcome& outcome) {
  if (answers_by_schema(*loop_.setup.request.backend) || outcome.answer.done) return;
  const auto& marker = loop_.setup.options.done_marker;
  const auto line = done_not_taken(last_message(outcome.summary), marker);
  if (line.empty()) return;
  loop_.reporter.warn(
      fmt::format("the agent printed '{}', which does not count as DONE: its last line must be "
                  "'{}', or its whole output DONE",
                  line, marker));
}

MaybeStop Worker::finish_iteration(const store::Current& current, RunOutcome outcome) {
  const bool success = outcome.verdict.status() == stream::Status::success;
  if (success) answer_from_text(loop_.setup, outcome);
  warn_of_ignored_done(outcome);
  const bool answered =
      !outcome.answer.summary.empty() &&
      (success || outcome.hit_cost_limit || outcome.verdict.outcome == stream::Outcome::cancelled);
  loop_.repository.leave_out_edited_goal(loop_.keeper.state);
  return answered ? finish_answer(current, outcome) : finish_failure(current, outcome);
}

MaybeStop Worker::finish_answer(const store::Current& current, const RunOutcome& outcome) {
  loop_.waiter.reset();
  auto record = make_record(store::LoopRecord::Step::iteration, current, outcome,
                            loop_.setup.request.host.root(), loop_.clock.now());
  record.progress = loop_.masker.mask(end_of_message(outcome.answer.summary));
  record.done = outcome.answer.done;
  record.tree = loop_.repository.content();
  record.changed = record.tree.empty() || record.tree != current.tree_before;
  auto stop = stop_if_unreadable(loop_, record);
  const bool readable = !stop;
  if (record.done && !stop) stop = check_done(loop_, record);
  // --resume finds the answer in the journal, and verifies it then.
  if (stop && stop->reason == store::StopReason::stopped) return stop;
  const bool may_commit = readable && !loop_.repository.tampered();
  auto committed = may_commit ? commit(current, record) : Result<>();
  if (!committed) loop_.reporter.warn("not committed: " + describe(committed.error()));
  if (stop && stop->reason == store::StopReason::done && loop_.setup.options.commit) {
    // With --commit a DONE counts when it is committed.
    if (committed) committed = loop_.repository.check_committed();
    if (!committed) {
      stop = LoopStop{store::StopReason::not_committed, describe(committed.error())};
      record.outcome = store::LoopDecision::not_committed;
    }
  }
  // Commands of verification may write files.
  if (!record.done) left_content_ = record.tree;
  record_step(loop_, worker_run(current), std::move(record));
  return stop;
}

/// A commit made before a crash counts as made.
Result<> Worker::commit(const store::Current& current, store::LoopRecord& record) {
  if (!loop_.setup.options.commit) return {};
  auto& state = loop_.keeper.state;
  if (state.current) state.current->phase = store::Phase::commit;
  auto made = loop_.repository.commit(commit_message(record), current.branch);
  if (!made || made->empty()) {
    record_moved_head(loop_, current, record);
    return made ? Result<>() : std::unexpected(made.error());
  }
  record.commit = *std::move(made);
  record.changed = true;  // perhaps by an earlier attempt of the iteration
  loop_.reporter.step(store::IterationCommitted{record.commit, record.iteration});
  return {};
}

Result<> Worker::roll_back(const store::Current& current, store::LoopRecord& record) {
  TRY_ASSIGN(const bool needed, loop_.repository.needs_rollback(current));
  if (!needed) return {};
  auto& state = loop_.keeper.state;
  if (state.current) state.current->phase = store::Phase::rollback;
  TRY(loop_.keeper.save());
  TRY_ASSIGN(const auto done, loop_.repository.roll_back(current));
  record.tree = loop_.repository.content();
  record.changed = false;
  loop_.reporter.step(store::IterationRolledBack{current.commit_before, record.iteration});
  loop_.reporter.info(fmt::format(
      "to restore the files of the failed iteration: ralph undo --restore {}", done.kept));
  if (!done.replaced.empty()) {
    loop_.reporter.warn(fmt::format("{} overwritten by the rollback ('{}' first); saved in {}",
                                    counted(std::ssize(done.replaced), "ignored file"),
                                    done.replaced.front(), done.kept));
  }
  return {};
}

MaybeStop Worker::finish_failure(const store::Current& current, const RunOutcome& outcome) {
  const auto next = next_step(outcome);
  const bool counts = next == NextStep::next_iteration;
  using enum store::LoopRecord::Step;
  auto record = make_record(counts ? iteration : attempt, current, outcome,
                            loop_.setup.request.host.root(), loop_.clock.now());
  record.failure = counts && outcome.verdict.status() == stream::Status::success
                       ? fmt::format("no valid answer after {} corrections", kMostCorrections)
                       : outcome.verdict.reason();
  record.failed = counts;
  record.tree = loop_.repository.content();
  record.changed = record.tree.empty() || record.tree != current.tree_before;
  if (!counts) record_moved_head(loop_, current, record);
  const auto stop = stop_if_unreadable(loop_, record);
  if (counts && !stop) {
    auto done = loop_.setup.options.rollback ? roll_back(current, record) : commit(current, record);
    if (!done) loop_.reporter.warn(describe(done.error()));
  }
  record_step(loop_, worker_run(current), std::move(record));
  if (stop) return stop;
  return loop_.keeper.storage_error() ? std::nullopt : take(next, outcome);
}

NextStep Worker::next_step(const RunOutcome& outcome) const {
  using stream::Outcome;
  if (outcome.verdict.outcome == Outcome::cancelled) return NextStep::stop_user;
  if (outcome.hit_cost_limit) return NextStep::stop_cost;
  const bool timed_out = outcome.verdict.outcome == Outcome::timed_out;
  if (timed_out && loop_.budget.time_is_over()) return NextStep::stop_time;
  // A disk that can be written to: it was the agent.
  if (outcome.verdict.outcome == Outcome::storage_failed && log_removed_) {
    return NextStep::next_iteration;
  }
  return next_step_after(outcome.verdict, outcome.summary);
}

MaybeStop Worker::take(NextStep step, const RunOutcome& outcome) {
  const auto& verdict = outcome.verdict;
  switch (step) {
    case NextStep::next_iteration:
      return loop_.waiter.wait_after_failure(loop_.setup.request.retries.pause);
    case NextStep::wait_for_rate_limit: return loop_.waiter.wait_for_rate_limit(verdict);
    case NextStep::wait_for_outage: return loop_.waiter.wait_for_outage(outcome);
    case NextStep::stop_user: return stopped_run(loop_, verdict);
    case NextStep::stop_time: return LoopStop{store::StopReason::time};
    case NextStep::stop_cost: return LoopStop{loop_.budget.cost_limit()};
    case NextStep::stop_agent:
      return LoopStop{verdict.outcome == stream::Outcome::storage_failed
                          ? store::StopReason::storage
                          : store::StopReason::agent,
                      verdict.message(), verdict.outcome};
  }
  return std::nullopt;
}

}  // namespace ralph::loop

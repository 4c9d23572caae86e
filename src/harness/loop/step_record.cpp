#include "harness/loop/step_record.h"

#include <utility>

#include "core/base/money.h"
#include "core/base/path.h"
#include "core/base/utf8.h"

namespace ralph::loop {
namespace {

/// Relative where that is possible: a workspace may be moved.
std::string shown_in(const std::filesystem::path& root, const std::filesystem::path& path) {
  const bool inside = !path.empty() && is_below(path, root);
  return utf8::repaired((inside ? path.lexically_relative(root) : path).native());
}

/// With --commit, record.commit has it.
void record_head(const LoopContext& loop, store::LoopRecord& record) {
  if (loop.setup.options.commit) return;
  if (auto now = loop.repository.head(); now != record.commit_before) record.head = std::move(now);
}

Result<> write_record_of(LoopContext& loop, const store::RunInfo& run, store::LoopRecord record) {
  record.progress = loop.masker.mask(record.progress);
  record.failure = loop.masker.mask(record.failure);
  if (record.verification) record.verification->tail = loop.masker.mask(record.verification->tail);
  if (run.role == store::AgentRole::worker) {
    record.note = std::exchange(loop.goal.note, {});
    record_head(loop, record);
  }
  TRY(loop.keeper.repair());
  loop.goal.check_after_run();
  // The record first: after a crash it says that the step is over.
  TRY(loop.keeper.append(record));
  auto& state = loop.keeper.state;
  if (record.step == store::LoopRecord::Step::iteration && state.current) {
    loop.guidance.remove(state.current->guidance);
  }
  state.current.reset();
  TRY(loop.keeper.save());
  const auto& totals = loop.keeper.totals();
  if (record.is(store::LoopDecision::refused)) {
    loop.reporter.step(store::DoneRefused{record.iteration, totals.refused_in_a_row});
  }
  loop.reporter.step(store::IterationEnded{record.iteration, run.role, record.run_id,
                                           record.outcome, record.failed, record.done,
                                           record.changed, record.cost_usd, record.time.total()});
  loop.reporter.observer().run_ended(run, record, totals);
  return {};
}

}  // namespace

store::LoopRecord make_record(store::LoopRecord::Step step, const store::Current& current,
                              const RunOutcome& outcome, const std::filesystem::path& root,
                              UtcTime now) {
  store::LoopRecord record;
  record.step = step;
  record.iteration = current.iteration;
  record.at = now;
  record.run_id = current.run_id;
  record.raw_log = shown_in(root, outcome.raw_log);
  record.outcome = outcome.verdict.outcome;
  record.cost_usd = outcome.summary.cost_usd();
  if (outcome.cost_at_least_usd > record.cost_usd.value_or(0)) {
    record.cost_usd = outcome.cost_at_least_usd;
  }
  record.tokens = outcome.summary.usage();
  record.model = outcome.summary.model;
  record.tool_calls = outcome.summary.tool_calls;
  for (const auto& more : outcome.corrections) {
    if (more.cost_usd()) {
      record.cost_usd = rounded_usd(record.cost_usd.value_or(0) + *more.cost_usd());
    }
    record.tokens += more.usage();
    record.tool_calls += more.tool_calls;
  }
  record.time = outcome.time;
  record.commit_before = current.commit_before;
  return record;
}

void record_step(LoopContext& loop, const store::RunInfo& run, store::LoopRecord record) {
  if (auto written = write_record_of(loop, run, std::move(record)); !written) {
    loop.keeper.set_storage_error(written.error());
  }
}

bool save_started(LoopContext& loop, store::Current current) {
  loop.keeper.state.current = std::move(current);
  auto saved = loop.keeper.save();
  if (!saved) loop.keeper.set_storage_error(saved.error());
  return saved.has_value();
}

bool repair_after_run(LoopContext& loop, const RunOutcome& outcome) {
  const bool recorded =
      !outcome.not_recorded && outcome.verdict.outcome != stream::Outcome::storage_failed;
  const bool removed = !recorded && loop.keeper.repair().value_or(false);
  if (outcome.not_recorded && !removed) loop.keeper.set_storage_error(*outcome.not_recorded);
  return removed;
}

LoopStop storage_stop(const Error& error) { return {store::StopReason::storage, describe(error)}; }

LoopStop stop_unchecked(const Error& error, store::LoopRecord& record) {
  record.outcome = stream::Outcome::storage_failed;
  record.done = false;
  return storage_stop(error);
}

MaybeStop stop_if_unreadable(const LoopContext& loop, store::LoopRecord& record) {
  const auto& tampered = loop.repository.tampered();
  if (!tampered) {
    const auto& error = loop.keeper.storage_error();
    return error && record.tree.empty() ? MaybeStop(stop_unchecked(*error, record)) : std::nullopt;
  }
  record.outcome = store::LoopDecision::tampered;
  record.changed = false;
  return LoopStop{store::StopReason::tampered, describe(*tampered)};
}

void record_moved_head(const LoopContext& loop, const store::Current& current,
                       store::LoopRecord& record) {
  if (!loop.setup.options.commit) return;
  if (const auto now = loop.repository.head(); now != current.commit_before) record.commit = now;
}

LoopStop stopped_run(const LoopContext& loop, const stream::Verdict& verdict) {
  const auto cause = loop.control.cause();
  return {.reason = store::StopReason::stopped,
          .why = cause ? cause->text() : verdict.detail,
          .outcome = verdict.outcome,
          .stopped_by = verdict.stopped_by};
}

MaybeStop stop_of(const store::LoopRecord& record) {
  if (!record.done || record.is(store::LoopDecision::refused)) return std::nullopt;
  if (record.is(store::LoopDecision::unchanged)) return LoopStop{store::StopReason::unchanged};
  if (record.is(store::LoopDecision::tampered)) return LoopStop{store::StopReason::tampered};
  if (record.is(store::LoopDecision::not_committed)) {
    return LoopStop{store::StopReason::not_committed};
  }
  return LoopStop{store::StopReason::done};
}

}  // namespace ralph::loop

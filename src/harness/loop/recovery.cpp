#include "harness/loop/recovery.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "harness/loop/agent_runner.h"
#include "harness/loop/step_record.h"

namespace ralph::loop {
namespace {

store::RunInfo run_of(const store::Current& current) {
  const bool summary = current.phase == store::Phase::summary;
  return {summary ? store::AgentRole::summarizer : store::AgentRole::worker, current.iteration,
          current.run_id};
}

}  // namespace

bool Recovery::is_recorded() const {
  const auto& records = loop_.keeper.records();
  const auto& id = loop_.keeper.state.current->run_id;
  return std::ranges::find(records, id, &store::LoopRecord::run_id) != records.end();
}

void Recovery::read() {
  auto& keeper = loop_.keeper;
  interrupted_ =
      read_interrupted_run(loop_.setup, keeper.workspace(), keeper.state.current->run_id);
  if (*interrupted_) keeper.add_ran_before((*interrupted_)->outcome.time.total());
  keeper.state.ran = keeper.elapsed();
}

std::vector<store::LoopRecord> Recovery::records_and_interrupted() {
  auto& keeper = loop_.keeper;
  auto records = keeper.records();
  const auto& state = keeper.state;
  if (!state.current || state.end == store::StopReason::done || is_recorded()) return records;
  read();
  if (*interrupted_) {
    records.push_back(make_record(store::LoopRecord::Step::attempt, *state.current,
                                  (*interrupted_)->outcome, loop_.setup.request.host.root(),
                                  loop_.clock.now()));
  }
  return records;
}

/// The iteration had failed, and its files were being put back.
MaybeStop Recovery::finish_rollback(const store::Current& current, const RunOutcome& outcome) {
  auto record = make_record(store::LoopRecord::Step::iteration, current, outcome,
                            loop_.setup.request.host.root(), loop_.clock.now());
  record.failed = true;
  record.outcome = store::LoopDecision::interrupted;
  record.failure = "it failed, and its files were put back";
  if (auto done = worker_.roll_back(current, record); !done) {
    loop_.reporter.warn(describe(done.error()));
  }
  record_step(loop_, run_of(current), std::move(record));
  return std::nullopt;
}

/// `answered`: a summary that only has to be recorded.
void Recovery::record_unfinished(const store::Current& current, const RunOutcome& outcome,
                                 bool answered) {
  using enum store::LoopRecord::Step;
  auto record = make_record(answered ? summary : attempt, current, outcome,
                            loop_.setup.request.host.root(), loop_.clock.now());
  (answered ? record.progress : record.failure) = answered ? outcome.answer.summary : "interrupted";
  if (!answered) record.outcome = store::LoopDecision::interrupted;
  record.tree = loop_.repository.content();  // what is there from now on is known
  record.changed = current.phase != store::Phase::summary &&
                   (record.tree.empty() || record.tree != current.tree_before);
  record_moved_head(loop_, current, record);
  record_step(loop_, run_of(current), std::move(record));
}

MaybeStop Recovery::recover() {
  auto& keeper = loop_.keeper;
  if (!keeper.state.current) return std::nullopt;
  const auto current = *keeper.state.current;
  const auto recorded =
      std::ranges::find(keeper.records(), current.run_id, &store::LoopRecord::run_id);
  if (recorded != keeper.records().end()) {
    if (recorded->step == store::LoopRecord::Step::iteration) {
      loop_.guidance.remove(current.guidance);
    }
    keeper.state.current.reset();
    return stop_of(*recorded);
  }
  if (!interrupted_) read();
  auto known = *std::exchange(interrupted_, std::nullopt);
  if (!known) {
    keeper.set_storage_error(known.error());
    return std::nullopt;
  }
  if (!known->warning.empty()) loop_.reporter.warn(known->warning);
  auto& outcome = known->outcome;
  if (current.phase == store::Phase::rollback) return finish_rollback(current, outcome);
  const bool ended = outcome.summary.result_count > 0 && !outcome.summary.results.back().is_error;
  if (ended) answer_from_text(loop_.setup, outcome);
  const bool answered = ended && !outcome.answer.summary.empty();
  if (answered && current.phase != store::Phase::summary) {
    loop_.reporter.info(
        fmt::format("iteration {} had ended: it is not repeated", current.iteration));
    return worker_.finish_answer(current, outcome);
  }
  record_unfinished(current, outcome, answered);
  return std::nullopt;
}

}  // namespace ralph::loop

#include "harness/loop/run_loop.h"

#include "harness/loop/final_report.h"
#include "harness/loop/goal_file.h"
#include "harness/loop/loop_parts.h"
#include "harness/loop/loop_start.h"
#include "harness/run/run.h"
#include "system/process/descriptor_limit.h"

namespace ralph::loop {
namespace {

/// The first steps: what a person should know before the first iteration.
void announce(LoopParts& parts, Loop& loop) {
  auto& reporter = parts.reporter;
  const auto& state = parts.keeper.state;
  const auto folder = parts.keeper.workspace().run_folder(state.loop_id);
  reporter.write_to(store::LoopEventLog(folder, parts.masker));
  reporter.step(store::LoopStarted{state.loop_id, state.backend, state.model, state.goal_file,
                                   parts.setup.resumed, state.max_iterations, state.max_cost_usd});
  reporter.show_start_warnings();
  const auto records = loop.records_and_interrupted();
  reporter.observer().started(state, records);
  if (!parts.goal.note.empty()) reporter.info(parts.goal.note);
}

LoopStop run_steps(LoopParts& parts, Loop& loop) {
  if (parts.keeper.state.end == store::StopReason::done) {
    parts.reporter.info("the loop was already done");
    const auto& records = parts.keeper.records();
    parts.changed_since_done = records.empty() || parts.repository.content() != records.back().tree;
    return {store::StopReason::done};
  }
  if (const auto notice = parts.verifier.notice(); !notice.empty()) parts.reporter.info(notice);
  return loop.run(parts.before);
}

store::LoopReport start_error(const Error& error) {
  store::LoopReport report;
  report.start_error = error;
  report.exit_code =
      stream::row(stream::outcome_of(error.code, stream::ErrorSource::run)).exit_code;
  return report;
}

Result<RalphFolder> take_folder(const Setup& setup) {
  TRY(process::check_descriptor_limit());
  TRY(check_goal(setup.goal));
  return RalphFolder::open(setup.request.host.root(), setup.loop_id);
}

}  // namespace

store::LoopReport run_loop(Setup setup, store::LoopObserver& observer, Control& control,
                           const Masker& masker) {
  auto folder = take_folder(setup);
  if (!folder) return start_error(folder.error());
  SystemClock clock;
  LoopParts parts(std::move(setup), observer, control, masker, clock, *std::move(folder));
  if (auto started = LoopStart(parts).start(); !started) {
    parts.user_files.bring_back_stash();
    return start_error(started.error());
  }
  Loop loop(parts.context());
  announce(parts, loop);
  const auto stop = run_steps(parts, loop);
  parts.settings.finish(parts.reporter);
  return finish_loop(parts, stop);
}

}  // namespace ralph::loop

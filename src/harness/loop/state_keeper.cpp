#include "harness/loop/state_keeper.h"

#include <unistd.h>

#include "core/base/money.h"

namespace ralph::loop {

StateKeeper::StateKeeper(const Setup& setup, RalphFolder& folder, LoopReporter& reporter,
                         const Clock& clock)
    : folder_(folder),
      reporter_(reporter),
      clock_(clock),
      began_at_(clock.now()),
      began_(clock.steady()),
      store_(setup.request.host.root(), setup.request.state_folder) {}

Millis StateKeeper::elapsed() const {
  return ran_before_ + std::chrono::duration_cast<Millis>(clock_.steady() - began_);
}

void StateKeeper::set_records(std::vector<store::LoopRecord> records) {
  records_ = std::move(records);
  totals_ = store::add_up(records_, state.fresh_from);
}

Result<bool> StateKeeper::repair() { return folder_.repair(files(), records_, reporter_); }

Result<> StateKeeper::save() {
  state.pid = ::getpid();
  state.updated = clock_.now();
  // Of a loop that is over: as its report says.
  if (state.status != store::LoopStatus::ended) state.ran = elapsed();
  if (!state.end && state.status != store::LoopStatus::waiting) {
    state.status = store::LoopStatus::running;
  }
  TRY(repair());
  TRY(store_.save(state));
  return save_budget();
}

/// For other programs; the loop itself goes by its records.
Result<> StateKeeper::save_budget() {
  const store::Budget now{.total_cost_usd = totals_.cost_usd,
                          .max_cost_usd = state.max_cost_usd,
                          .iterations = totals_.iterations,
                          .max_iterations = state.max_iterations};
  if (saved_budget_ == now) return {};
  TRY(store::save_budget(workspace().budget_file(), now));
  saved_budget_ = now;
  return {};
}

/// The report counts it also if it could not be written.
Result<> StateKeeper::append(store::LoopRecord record) {
  auto written = store_.append(record);
  records_.push_back(std::move(record));
  totals_ = store::add_up(records_, state.fresh_from);
  return written;
}

}  // namespace ralph::loop

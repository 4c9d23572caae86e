#include "ui/console/loop_snapshot.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/words.h"
#include "harness/store/loop_event_log.h"
#include "harness/store/loop_state_files.h"
#include "ui/console/safe_text.h"

namespace ralph::console {
namespace {

constexpr std::size_t kLongestWarning = 500;
constexpr Words<LoopCondition, 4> kConditions{{"running", "waiting", "ended", "died"}};

bool can_be_opened(const store::Location& folder) {
  const auto opened = folder.folder();
  return opened || opened.error().code == Code::not_found;
}

/// What the state of a loop without events says it is doing.
std::optional<store::LoopEvent> step_of(const store::LoopState& state) {
  if (state.status == store::LoopStatus::waiting && state.waiting_until) {
    return store::LoopEvent{state.updated,
                            store::WaitStarted{{}, state.waiting_for, *state.waiting_until}};
  }
  if (state.current && state.current->phase == store::Phase::verify) {
    return store::LoopEvent{state.updated, store::VerificationStarted{state.verify}};
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LoopCondition condition) { return kConditions.of(condition); }

bool LoopSnapshot::runs() const {
  const bool over = state && state->status == store::LoopStatus::ended;
  if (!holder || over) return false;
  return holder->user == store::LockUser::loop || (holder->pid == 0 && state);
}

LoopCondition LoopSnapshot::condition() const {
  using enum LoopCondition;
  using store::LoopStatus;
  if (!runs()) return state && state->status != LoopStatus::ended ? died : ended;
  return state && state->status == LoopStatus::waiting ? waiting : running;
}

std::string LoopSnapshot::guidance_reader() const {
  if (!state || (!runs() && state->end == store::StopReason::done)) return "for the next loop here";
  const auto finished = store::add_up(records).iterations;
  const bool under_way = runs() && state->current && state->current->iteration > finished;
  const auto next = finished + (under_way ? 2 : 1);
  auto text = fmt::format("for iteration {}", next);
  if (state->max_iterations && next > *state->max_iterations) {
    return text + fmt::format(", beyond the limit: 'ralph loop --resume --max-iterations {}'",
                              2 * *state->max_iterations);
  }
  return runs() ? text : text + " of 'ralph loop --resume', or for a new loop here";
}

std::optional<RunSnapshot> LoopSnapshot::run(const Masker& masker) const {
  if (!state || !state->current || condition() == LoopCondition::ended) return std::nullopt;
  // Its cost is in the record then.
  const auto& id = state->current->run_id;
  if (std::ranges::find(records, id, &store::LoopRecord::run_id) != records.end())
    return std::nullopt;
  return read_run(folder, id, state->current->began, masker);
}

LoopSnapshot read_loop(const std::filesystem::path& folder) {
  LoopSnapshot snapshot;
  snapshot.folder = folder;
  const store::LoopStateFiles files(folder);
  // In this order: a loop that ends meanwhile is seen to have ended, not to have died.
  snapshot.holder = store::Lock::holder(store::Workspace::at(folder).lock_file());
  std::string warning;
  snapshot.state = files.peek(warning);
  if (!warning.empty()) {
    snapshot.warnings.push_back(one_line(safe_text(warning), kLongestWarning));
  }
  if (snapshot.state) {
    snapshot.step =
        store::last_loop_step(store::Workspace::at(folder).run_folder(snapshot.state->loop_id));
    if (!snapshot.step) snapshot.step = step_of(*snapshot.state);
  }
  std::int64_t bad = 0;
  if (auto records = files.records(bad)) {
    snapshot.records = *std::move(records);
  } else if (can_be_opened(store::Workspace::at(folder).state())) {  // else: one warning for both
    snapshot.warnings.push_back(describe(records.error()));
  }
  if (bad > 0) {
    snapshot.warnings.push_back(
        fmt::format("{} of progress.ndjson cannot be read", counted(bad, "line")));
  }
  return snapshot;
}

}  // namespace ralph::console

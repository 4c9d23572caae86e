#include "cli/loop_snapshot.h"

#include <algorithm>

#include <fmt/core.h>

#include "cli/failure.h"
#include "cli/run_settings.h"
#include "core/base/names.h"
#include "harness/loop/policy.h"
#include "harness/store/loop_event_log.h"
#include "harness/store/words.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kLongestWarning = 500;
constexpr store::Words<LoopCondition, 4> kConditions{{"running", "waiting", "ended", "died"}};

bool can_be_opened(const store::Location& folder) {
  const auto opened = folder.folder();
  return opened || opened.error().code == Code::not_found;
}

/// What the state of a loop without events says it is doing.
std::optional<store::LoopEvent> step_of(const loop::State& state) {
  if (state.status == loop::LoopStatus::waiting && state.waiting_until) {
    return store::LoopEvent{state.updated,
                            store::WaitStarted{{}, state.waiting_for, *state.waiting_until}};
  }
  if (state.current && state.current->phase == loop::Phase::verify) {
    return store::LoopEvent{state.updated, store::VerificationStarted{state.verify}};
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LoopCondition condition) { return kConditions.of(condition); }

bool LoopSnapshot::runs() const {
  const bool over = state && state->status == loop::LoopStatus::ended;
  if (!holder || over) return false;
  return holder->is_loop() || (holder->pid == 0 && state);
}

LoopCondition LoopSnapshot::condition() const {
  using enum LoopCondition;
  using loop::LoopStatus;
  if (!runs()) return state && state->status != LoopStatus::ended ? died : ended;
  return state && state->status == LoopStatus::waiting ? waiting : running;
}

std::string LoopSnapshot::reader() const {
  if (!state || (!runs() && state->end == loop::StopReason::done)) return "for the next loop here";
  const auto finished = loop::add_up(records).iterations;
  const bool under_way = runs() && state->current && state->current->iteration > finished;
  const auto next = finished + (under_way ? 2 : 1);
  auto text = fmt::format("for iteration {}", next);
  if (state->max_iterations && next > *state->max_iterations) {
    return text + fmt::format(", beyond the limit: 'ralph loop --resume --max-iterations {}'",
                              2 * *state->max_iterations);
  }
  return runs() ? text : text + " of 'ralph loop --resume', or for a new loop here";
}

std::optional<RunSnapshot> LoopSnapshot::run() const {
  if (!state || !state->current || condition() == LoopCondition::ended) return std::nullopt;
  // Its cost is in the record then.
  const auto& id = state->current->run_id;
  if (std::ranges::find(records, id, &loop::Record::run_id) != records.end()) return std::nullopt;
  return read_run(folder, id, state->current->began);
}

Result<std::filesystem::path> folder_of(const Arguments& arguments) {
  const std::filesystem::path given(arguments.value("cwd", "."));
  std::error_code error;
  auto folder = std::filesystem::canonical(given, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return fail(Code::not_found, fmt::format("'{}' is not a folder", given.native()),
                "--cwd names an existing folder");
  }
  return project_root_of(folder);
}

Result<LoopSnapshot> read_loop(const std::filesystem::path& folder, StdOutput& output) {
  LoopSnapshot snapshot;
  snapshot.folder = folder;
  const loop::StateFiles files(folder);
  // In this order: a loop that ends meanwhile is seen to have ended, not to have died.
  snapshot.holder = store::Lock::holder(store::Workspace::at(folder).lock_file());
  std::string warning;
  snapshot.state = files.peek(warning);
  if (!warning.empty()) warn(view::one_line(view::safe_text(warning), kLongestWarning), output);
  if (snapshot.state) {
    snapshot.step =
        store::last_loop_step(store::Workspace::at(folder).run_folder(snapshot.state->loop_id));
    if (!snapshot.step) snapshot.step = step_of(*snapshot.state);
  }
  std::int64_t bad = 0;
  if (auto records = files.records(bad)) {
    snapshot.records = *std::move(records);
  } else if (can_be_opened(store::Workspace::at(folder).state())) {  // else: one warning for both
    warn(describe(records.error()), output);
  }
  if (bad > 0) warn(fmt::format("{} of its progress cannot be read", counted(bad, "line")), output);
  return snapshot;
}

}  // namespace ralph::cli

#include "cli/status_facts.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/failure.h"
#include "cli/loop_report.h"
#include "cli/run_settings.h"
#include "core/base/money.h"
#include "core/base/names.h"
#include "core/base/path.h"
#include "harness/backend/backend.h"
#include "harness/loop/guidance.h"
#include "harness/loop/policy.h"
#include "harness/loop/report.h"
#include "harness/loop/state_store.h"
#include "system/git/work.h"
#include "ui/console/figures.h"

namespace ralph::cli {

using view::short_duration;

Millis since(UtcTime time) { return std::max(Millis{0}, now_utc() - time); }

Millis elapsed(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run) {
  const auto& state = *snapshot.state;
  if (snapshot.runs()) return state.ran + since(state.updated);
  return state.ran + (run ? std::max(Millis{0}, run->alive_at - state.updated) : Millis{0});
}

const loop::Record* last_worker_step(const std::vector<loop::Record>& records) {
  const auto found =
      std::ranges::find_if(records.rbegin(), records.rend(), [](const loop::Record& record) {
        return record.step == loop::Record::Step::iteration ||
               record.step == loop::Record::Step::attempt;
      });
  return found == records.rend() ? nullptr : &*found;
}

std::string activity_text(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run) {
  const auto& state = *snapshot.state;
  if (!snapshot.runs()) return {};
  const auto* const step = snapshot.step ? &snapshot.step->step : nullptr;
  if (const auto* wait = std::get_if<store::WaitStarted>(step)) {
    const auto left = std::max(Millis{0}, wait->until - now_utc());
    return fmt::format("{}; retrying at {}, in {}", wait->text, view::clock_time(wait->until),
                       short_duration(left));
  }
  if (const auto* verifying = std::get_if<store::VerificationStarted>(step)) {
    return fmt::format("verifying with `{}` ({})", fmt::join(verifying->commands, "`, `"),
                       short_duration(since(snapshot.step->at)));
  }
  using loop::Phase;
  const auto phase = state.current ? std::optional(state.current->phase) : std::nullopt;
  if (phase == Phase::commit) return "committing";
  if (phase == Phase::rollback) return "rolling back";
  if (!run) return state.current ? "starting the agent" : "between two iterations";
  const auto* const whose = phase == Phase::summary ? "summarizer: " : "";
  const auto lasts = short_duration(since(run->since));
  switch (run->kind) {
    case view::Activity::Kind::tool:
      return fmt::format("{}running {} ({})", whose, run->text, lasts);
    case view::Activity::Kind::retry: return fmt::format("{}{}", whose, run->text);
    case view::Activity::Kind::model:
      return fmt::format("{}waiting for the model ({})", whose, lasts);
  }
  return {};
}

std::optional<loop::Record> final_done(const LoopSnapshot& snapshot) {
  if (snapshot.condition() != LoopCondition::ended || snapshot.state->end != loop::StopReason::done)
    return std::nullopt;
  const loop::StateStore store(snapshot.folder, loop::user_state_folder());
  const auto known = store.load(loop::StateStore::Source::trusted);
  if (!known || !*known || (*known)->state.loop_id != snapshot.state->loop_id) return std::nullopt;
  const auto* last = last_worker_step((*known)->records);
  return last != nullptr && last->done ? std::optional(*last) : std::nullopt;
}

std::string why_ended(const LoopSnapshot& snapshot) {
  const auto& state = *snapshot.state;
  if (state.end == loop::StopReason::agent && !state.end_why.empty()) return state.end_why;
  auto text = std::string(state.end ? loop::row(*state.end).meaning : "");
  if (!state.end_why.empty()) text += ": " + state.end_why;
  if (state.end != loop::StopReason::done) return text;
  const auto done = final_done(snapshot);
  if (!done) return text + ", as .ralph/state says";
  return fmt::format("{}, {}{}", text, loop::how_known(*done),
                     done->verification ? " at " + view::date_time(done->at) : "");
}

std::optional<double> cost_now(const LoopSnapshot& snapshot, const loop::Totals& totals,
                               const std::optional<RunSnapshot>& run) {
  if (run && run->cost_usd) return rounded_usd(totals.cost_usd + *run->cost_usd);
  const auto* backend = backend::find_backend(snapshot.state->backend);
  const bool told = backend == nullptr || backend->can.cost || totals.priced > 0;
  return told ? totals.cost() : std::nullopt;
}

Messages messages_of(const LoopSnapshot& snapshot, StdOutput& output) {
  std::string refused;
  Messages messages;
  const auto& current = snapshot.state->current;
  for (const auto& message :
       loop::Guidance(snapshot.folder, loop::user_state_folder()).pending(refused)) {
    const bool given =
        snapshot.runs() && current &&
        std::ranges::find(current->guidance, message.name) != current->guidance.end();
    ++(given ? messages.given : messages.waiting);
  }
  if (!refused.empty()) warn(refused, output);
  return messages;
}

std::string resume_text(const LoopSnapshot& snapshot, const loop::Totals& totals) {
  const auto& state = *snapshot.state;
  if (snapshot.runs() || state.end == loop::StopReason::done) return {};
  loop::Report report;
  report.reason = state.end.value_or(loop::StopReason::stopped);
  report.totals = totals;
  report.budget.iterations = state.max_iterations.value_or(0);
  report.budget.cost_usd = state.max_cost_usd;
  report.budget.cost_per_day_usd = state.max_cost_per_day_usd;
  report.budget.time = state.max_time;
  report.elapsed = state.ran;
  report.would_wait = state.would_wait;
  report.days = state.earlier_days;
  for (const auto& [day, cost] : totals.days) report.days[day] += cost;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  std::string base = "ralph loop --resume";
  if (error || project_root_of(here) != snapshot.folder) {
    base += " --cwd " + shell_word(snapshot.folder.native());
  }
  return resume_command(report, now_utc(), base);
}

std::string log_path(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run) {
  const auto* const last = last_worker_step(snapshot.records);
  std::filesystem::path log = run && !run->raw_log.empty() ? run->raw_log
                              : last != nullptr            ? last->raw_log
                                                           : "";
  if (log.empty()) return {};
  log = snapshot.folder / log;
  std::error_code error;
  const bool here = std::filesystem::current_path(error) == snapshot.folder;
  return here && is_below(log, snapshot.folder) ? log.lexically_relative(snapshot.folder).native()
                                                : log.native();
}

std::string stash_of(const LoopSnapshot& snapshot) {
  if (!snapshot.state->settings.contains("stash")) return {};
  std::string why_not;
  const auto work = git::Work::open(snapshot.folder, why_not);
  if (!work || !*work) return {};
  return (*work)->stash_entry(loop::stash_message(snapshot.state->loop_id));
}

}  // namespace ralph::cli

#include "ui/console/loop_status.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/money.h"
#include "core/base/path.h"
#include "core/base/utf8.h"
#include "core/json/mask.h"
#include "core/json/writer.h"
#include "ui/console/figures.h"
#include "ui/console/loop_header.h"
#include "ui/console/loop_json.h"
#include "ui/console/loop_report.h"
#include "ui/console/safe_text.h"

namespace ralph::console {
namespace {

using json::ObjectWriter;

constexpr std::size_t kLongestValue = 200;

/// An agent can write the state file: a time in the future counts as now.
Millis since(UtcTime time) { return std::max(Millis{0}, now_utc() - time); }

/// Of a loop that was killed: until the newest record of its run.
Millis elapsed(const StatusFacts& facts) {
  const auto& state = *facts.loop.state;
  if (facts.loop.runs()) return state.ran + since(state.updated);
  const auto& run = facts.run;
  return state.ran + (run ? std::max(Millis{0}, run->alive_at - state.updated) : Millis{0});
}

std::string run_activity(const RunSnapshot& run) {
  const auto duration = short_duration(since(run.since));
  switch (run.kind) {
    case Activity::Kind::tool: return fmt::format("running {} ({})", run.text, duration);
    case Activity::Kind::retry: return run.text;
    case Activity::Kind::model: return fmt::format("waiting for the model ({})", duration);
  }
  return {};
}

/// What the loop is doing now; empty: it is not running.
std::string activity_text(const StatusFacts& facts) {
  const auto& snapshot = facts.loop;
  const auto& state = *snapshot.state;
  if (!snapshot.runs()) return {};
  const auto* const step = snapshot.step ? &snapshot.step->step : nullptr;
  if (const auto* wait = std::get_if<store::WaitStarted>(step)) {
    const auto left = std::max(Millis{0}, wait->until - now_utc());
    return fmt::format("{}; retrying at {}, in {}", wait->text, clock_time(wait->until),
                       short_duration(left));
  }
  if (const auto* verifying = std::get_if<store::VerificationStarted>(step)) {
    return fmt::format("verifying with `{}` ({})", fmt::join(verifying->commands, "`, `"),
                       short_duration(since(snapshot.step->at)));
  }
  if (!state.current) return "between two iterations";
  const auto phase = state.current->phase;
  if (phase == store::Phase::commit) return "committing";
  if (phase == store::Phase::rollback) return "rolling back";
  if (!facts.run) return "starting the agent";
  return (phase == store::Phase::summary ? "summarizer: " : "") + run_activity(*facts.run);
}

std::string why_ended(const StatusFacts& facts) {
  const auto& state = *facts.loop.state;
  if (state.end && store::why_is_complete(*state.end) && !state.end_why.empty()) {
    return state.end_why;
  }
  auto text = std::string(state.end ? store::row(*state.end).meaning : "");
  if (!state.end_why.empty()) text += ": " + state.end_why;
  if (state.end != store::StopReason::done) return text;
  const auto& done = facts.done;
  if (!done) return text + ", according to .ralph/state, which an agent can write";
  return fmt::format("{}, {}{}", text, store::how_known(*done),
                     done->verification ? " at " + date_time(done->at) : "");
}

/// The running iteration included.
std::optional<double> cost_now(const StatusFacts& facts, const store::LoopTotals& totals) {
  const auto& run = facts.run;
  if (run && run->cost_usd) return rounded_usd(totals.cost_usd + *run->cost_usd);
  return facts.agent_reports_cost || totals.priced > 0 ? totals.cost() : std::nullopt;
}

/// The command that continues the loop; empty: it runs, or is done.
std::string resume_text(const StatusFacts& facts, const store::LoopTotals& totals) {
  const auto& state = *facts.loop.state;
  if (facts.loop.runs() || state.end == store::StopReason::done) return {};
  store::LoopReport report;
  report.reason = state.end.value_or(store::StopReason::stopped);
  report.totals = totals;
  report.budget.iterations = state.max_iterations.value_or(0);
  report.budget.cost_usd = state.max_cost_usd;
  report.budget.cost_per_day_usd = state.max_cost_per_day_usd;
  report.budget.time = state.max_time;
  report.elapsed = state.ran;
  report.would_wait = state.would_wait;
  report.days = store::merge_days(state.earlier_days, totals.days);
  return resume_command(report, now_utc(), facts.resume_base);
}

/// The raw log of the run in progress or killed, else of the last run; empty: not known.
std::string log_path(const StatusFacts& facts) {
  const auto* const last = store::last_worker_step(facts.loop.records);
  std::filesystem::path log = facts.run && !facts.run->raw_log.empty() ? facts.run->raw_log
                              : last != nullptr                        ? last->raw_log
                                                                       : "";
  if (log.empty()) return {};
  const auto& folder = facts.loop.folder;
  log = folder / log;
  const bool here = facts.current_folder == folder;
  return here && is_below(log, folder) ? log.lexically_relative(folder).native() : log.native();
}

std::string condition_text(const StatusFacts& facts) {
  const auto& snapshot = facts.loop;
  const auto condition = snapshot.condition();
  if (condition == LoopCondition::died) return "died: killed, or could not save its state";
  if (condition == LoopCondition::ended) return "ended: " + why_ended(facts);
  const auto text = std::string(to_string(condition));
  return snapshot.holder->pid > 0 ? text + fmt::format(" (pid {})", snapshot.holder->pid) : text;
}

std::string iteration_text(const LoopSnapshot& snapshot, const store::LoopTotals& totals) {
  const auto& state = *snapshot.state;
  const auto of = state.max_iterations ? fmt::format("/{}", *state.max_iterations) : "";
  if (!snapshot.runs() || !state.current || state.current->phase == store::Phase::summary) {
    return fmt::format("{}{} finished", totals.iterations, of);
  }
  const auto& current = *state.current;
  return fmt::format("{}{} ({})", current.iteration, of, short_duration(since(current.began)));
}

/// Empty: no agent reported one yet.
std::string model_reported(const StatusFacts& facts) {
  auto used = store::model_used(facts.loop.records);
  return used.empty() && facts.run ? facts.run->model : used;
}

/// With the model that the agent reported, else the one that was asked for.
std::string agent_with_model(const StatusFacts& facts) {
  const auto& state = *facts.loop.state;
  const auto used = model_reported(facts);
  const auto& model = used.empty() ? state.model : used;
  return state.backend + (model.empty() ? "" : ", model " + model);
}

std::string last_text(const store::LoopRecord& record,
                      const std::vector<std::int64_t>& taken_back) {
  const bool gone = std::ranges::find(taken_back, record.iteration) != taken_back.end();
  auto text = fmt::format("iteration {}{}: ", record.iteration, gone ? " (undone)" : "");
  if (record.done && record.verification && !record.verification->passed) {
    text += fmt::format("DONE refused by `{}` ({}): ", record.verification->command,
                        record.verification->reason);
  }
  return text + store::progress_text(record);
}

class StatusLines {
 public:
  explicit StatusLines(const Masker& masker) : masker_(masker) {}
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    const auto safe = masker_.mask(safe_text(value));
    text_ += fmt::format("{:<10} {}\n", name, one_line(safe, kLongestValue));
  }
  std::string take() { return std::move(text_); }

 private:
  const Masker& masker_;
  std::string text_;
};

void add_progress(StatusLines& lines, const StatusFacts& facts, const store::LoopTotals& totals) {
  const auto& state = *facts.loop.state;
  lines.add("Iteration", iteration_text(facts.loop, totals));
  const auto undone = store::taken_back(facts.loop.records);
  if (!undone.empty()) {
    lines.add("Undone", store::iterations_text(undone) +
                            " ('git for-each-ref refs/ralph' lists the saved states)");
  }
  lines.add("Now", activity_text(facts));
  lines.add("Elapsed", short_duration(elapsed(facts)));
  lines.add("Cost", dollars(cost_now(facts, totals)) +
                        (state.max_cost_usd ? " of " + dollars(*state.max_cost_usd) : ""));
  lines.add("Failures", fmt::format("{} in a row", totals.failures_in_a_row));
  if (totals.refused_in_a_row > 0) {
    lines.add("Refused", counted(totals.refused_in_a_row, "DONE") + " in a row");
  }
  if (const auto* last = store::last_worker_step(facts.loop.records)) {
    lines.add("Last", last_text(*last, undone));
  }
}

void add_guidance(StatusLines& lines, const StatusFacts& facts) {
  if (facts.guidance_given > 0) {
    lines.add("Guidance", fmt::format("{} in the prompt of iteration {}",
                                      counted(facts.guidance_given, "message"),
                                      facts.loop.state->current->iteration));
  }
  if (facts.guidance_waiting > 0) {
    lines.add("Guidance",
              counted(facts.guidance_waiting, "message") + " " + facts.loop.guidance_reader());
  }
}

void add_current(ObjectWriter& to, const StatusFacts& facts) {
  const auto& state = *facts.loop.state;
  if (state.current) {
    std::string current;
    ObjectWriter(current)
        .number("iteration", state.current->iteration)
        .text("phase", to_string(state.current->phase))
        .text("run_id", state.current->run_id)
        .text("began_at", iso_utc(state.current->began))
        .close();
    to.raw("current", current);
  }
  if (const auto activity = activity_text(facts); !activity.empty()) {
    to.text("activity", activity);
  }
  if (state.waiting_until) {
    to.text("waiting_for", state.waiting_for).text("waiting_until", iso_utc(*state.waiting_until));
  }
}

void add_end(ObjectWriter& to, const StatusFacts& facts, const store::LoopTotals& totals) {
  const auto& state = *facts.loop.state;
  if (state.end) to.text("end", store::row(*state.end).name).text("why", why_ended(facts));
  if (const auto resume = resume_text(facts, totals); !resume.empty()) to.text("resume", resume);
  if (!facts.stash_entry.empty()) {
    to.text("stash", "refs/ralph/" + store::stash_name(state.loop_id))
        .text("stash_entry", facts.stash_entry);
  }
  if (facts.done) {
    const bool verified = facts.done->verification && facts.done->verification->passed;
    if (verified) to.text("verified", store::how_known(*facts.done));
    if (!verified) to.boolean("claimed", true);
  }
  if (facts.loop.condition() == LoopCondition::ended && !state.findings.empty()) {
    to.raw("findings", texts_json(state.findings));
  }
}

void add_totals(ObjectWriter& to, const StatusFacts& facts, const store::LoopTotals& totals) {
  const auto& state = *facts.loop.state;
  to.number("elapsed_ms", std::int64_t{elapsed(facts).count()});
  if (const auto cost = cost_now(facts, totals)) to.number("cost_usd", *cost);
  if (state.max_cost_usd) to.number("max_cost_usd", *state.max_cost_usd);
  to.number("failures_in_a_row", totals.failures_in_a_row)
      .number("refused_in_a_row", totals.refused_in_a_row);
  if (const auto* last = store::last_worker_step(facts.loop.records)) {
    to.text("last", store::progress_text(*last));
    if (last->done) to.boolean("last_refused", last->is(store::LoopDecision::refused));
  }
  if (const auto log = log_path(facts); !log.empty()) to.text("raw_log", log);
}

}  // namespace

std::string status_text(const StatusFacts& facts, const Masker& masker) {
  const auto& state = *facts.loop.state;
  const auto totals = store::add_up(facts.loop.records);
  StatusLines lines(masker);
  lines.add("Loop", state.loop_id);
  lines.add("State", condition_text(facts));
  lines.add("Started", date_time(state.started));
  lines.add("Goal", goal_text(state));
  lines.add("Agent", agent_with_model(facts));
  add_progress(lines, facts, totals);
  lines.add("Log", log_path(facts));
  if (facts.loop.condition() == LoopCondition::ended) {
    for (const auto& finding : state.findings) lines.add("Look at", finding);
  }
  add_guidance(lines, facts);
  if (facts.stop_requested) lines.add("Stop", "requested: after this iteration");
  if (!facts.stash_entry.empty()) {
    lines.add("Stash",
              "your changes from before the loop: git stash pop --index " + facts.stash_entry);
  }
  lines.add("Resume", resume_text(facts, totals));
  return lines.take();
}

std::string status_json(const StatusFacts& facts, const Masker& masker) {
  const auto& snapshot = facts.loop;
  const auto& state = *snapshot.state;
  const auto totals = store::add_up(snapshot.records);
  std::string out;
  ObjectWriter to(out);
  to.text("loop_id", state.loop_id).text("state", to_string(snapshot.condition()));
  if (snapshot.runs() && snapshot.holder->pid > 0) to.number("pid", snapshot.holder->pid);
  to.text("started_at", iso_utc(state.started));
  add_end(to, facts, totals);
  to.text("goal_file", goal_file_from_here(state)).text("goal", state.goal);
  if (!state.backend.empty()) to.text("backend", state.backend);
  if (const auto model = model_reported(facts); !model.empty()) to.text("model", model);
  to.number("iterations", totals.iterations);
  if (const auto gone = store::taken_back(snapshot.records); !gone.empty()) {
    to.raw("taken_back", fmt::format("[{}]", fmt::join(gone, ",")));
  }
  if (state.max_iterations) to.number("max_iterations", *state.max_iterations);
  add_current(to, facts);
  add_totals(to, facts, totals);
  to.number("guidance", facts.guidance_waiting)
      .number("guidance_in_prompt", facts.guidance_given)
      .boolean("stop_asked", facts.stop_requested)
      .close();
  return json::mask(utf8::repaired(out), masker) + "\n";
}

}  // namespace ralph::console

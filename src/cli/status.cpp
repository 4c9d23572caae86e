#include <algorithm>
#include <string>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/backend/backend.h"
#include "core/base/money.h"
#include "core/base/utf8.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_header.h"
#include "cli/loop_look.h"
#include "cli/loop_report.h"
#include "cli/loop_steps.h"
#include "cli/run_settings.h"
#include "system/git/work.h"
#include "core/json/mask.h"
#include "core/json/writer.h"
#include "harness/loop/guidance.h"
#include "harness/loop/policy.h"
#include "harness/loop/state_store.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

using json::ObjectWriter;
using view::counted;
using view::dollars;
using view::short_duration;

constexpr std::size_t kShort = 200;

std::string shown(std::string_view text) {
  return view::one_line(log_masker().mask(view::safe_text(text)), kShort);
}

/// A state file is only as true as whoever wrote it.
Millis since(UtcTime time) { return std::max(Millis{0}, now_utc() - time); }

/// What it had run when the state was written, and what has passed since: of one that was killed, until the last that
/// its run recorded.
Millis elapsed(const LoopLook& look, const std::optional<RunLook>& run) {
  const auto& state = *look.state;
  if (look.runs()) return state.ran + since(state.updated);
  return state.ran + (run ? std::max(Millis{0}, run->since - state.updated) : Millis{0});
}

/// What the agent last said it did.
const loop::Record* last_word(const std::vector<loop::Record>& records) {
  const auto found =
      std::ranges::find_if(records.rbegin(), records.rend(), [](const loop::Record& record) {
        return record.step == loop::Record::Step::iteration ||
               record.step == loop::Record::Step::attempt;
      });
  return found == records.rend() ? nullptr : &*found;
}

/// What the loop is doing right now; empty: it does not run.
std::string activity_text(const LoopLook& look, const std::optional<RunLook>& run) {
  const auto& state = *look.state;
  if (!look.runs()) return {};
  if (state.status == loop::LoopStatus::waiting && state.waiting_until) {
    const auto left = std::max(Millis{0}, *state.waiting_until - now_utc());
    return fmt::format("{}; retrying at {}, in {}", state.waiting_for,
                       view::clock_time(*state.waiting_until), short_duration(left));
  }
  using loop::Phase;
  const auto phase = state.current ? std::optional(state.current->phase) : std::nullopt;
  if (phase == Phase::verify) {
    return fmt::format("verifying with `{}` ({})", fmt::join(state.verify, "`, `"),
                       short_duration(since(state.updated)));
  }
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

/// The iteration whose DONE ended the loop, by the record that no agent can write.
std::optional<loop::Record> final_done(const LoopLook& look) {
  if (look.condition() != LoopCondition::ended || look.state->end != loop::StopReason::done) return std::nullopt;
  const loop::StateStore store(look.folder, loop::user_state_folder());
  const auto known = store.load(loop::StateStore::Source::trusted);
  if (!known || !*known || (*known)->state.loop_id != look.state->loop_id) return std::nullopt;
  const auto* last = last_word((*known)->records);
  return last != nullptr && last->done ? std::optional(*last) : std::nullopt;
}

/// Why an ended loop ended, in the words of its report.
std::string why_ended(const LoopLook& look) {
  const auto& state = *look.state;
  if (state.end == loop::StopReason::agent && !state.end_why.empty()) return state.end_why;
  auto text = std::string(state.end ? loop::row(*state.end).meaning : "");
  if (!state.end_why.empty()) text += ": " + state.end_why;
  if (state.end != loop::StopReason::done) return text;
  const auto done = final_done(look);
  if (!done) return text + ", as .ralph/state says";
  return fmt::format("{}, {}{}", text, loop::how_known(*done),
                     done->verification ? " at " + view::date_time(done->at) : "");
}

std::string condition_text(const LoopLook& look) {
  const auto condition = look.condition();
  if (condition == LoopCondition::died) return "died: it was killed";
  if (condition == LoopCondition::ended) return "ended: " + why_ended(look);
  const auto text = std::string(to_string(condition));
  return look.holder->pid > 0 ? text + fmt::format(" (pid {})", look.holder->pid) : text;
}

std::string iteration_text(const LoopLook& look, const loop::Totals& totals) {
  const auto& state = *look.state;
  const auto of = state.max_iterations ? fmt::format("/{}", *state.max_iterations) : "";
  if (!look.runs() || !state.current || state.current->phase == loop::Phase::summary) {
    return fmt::format("{}{} finished", totals.iterations, of);
  }
  const auto& current = *state.current;
  return fmt::format("{}{} ({})", current.iteration, of, short_duration(since(current.began)));
}

/// The model that the agent said it uses, or else the one it was told to use.
std::string agent_text(const LoopLook& look) {
  const auto used = loop::model_used(look.records);
  const auto& model = used.empty() ? look.state->model : used;
  return look.state->backend + (model.empty() ? "" : ", model " + model);
}

/// The running iteration included.
std::optional<double> cost_now(const LoopLook& look, const loop::Totals& totals,
                               const std::optional<RunLook>& run) {
  if (run && run->cost_usd) return rounded_usd(totals.cost_usd + *run->cost_usd);
  const auto* backend = backend::find_backend(look.state->backend);
  const bool told = backend == nullptr || backend->can.cost || totals.priced > 0;
  return told ? totals.cost() : std::nullopt;
}

std::string last_text(const loop::Record& record, const std::vector<std::int64_t>& taken_back) {
  const bool gone = std::ranges::find(taken_back, record.iteration) != taken_back.end();
  auto text = fmt::format("iteration {}{}: ", record.iteration, gone ? " (taken back)" : "");
  if (record.done && record.verification && !record.verification->passed) {
    text += fmt::format("DONE refused by `{}` ({}): ", record.verification->command,
                        record.verification->reason);
  }
  return text + record.progress;
}

/// What 'ralph tell' left: in the prompt of the iteration that runs, and for a later one.
struct Messages {
  std::int64_t given = 0, waiting = 0;
};

Messages messages_of(const LoopLook& look, StdOutput& output) {
  std::string refused;
  Messages messages;
  const auto& current = look.state->current;
  for (const auto& message :
       loop::Guidance(look.folder, loop::user_state_folder()).pending(refused)) {
    const bool given =
        look.runs() && current &&
        std::ranges::find(current->guidance, message.name) != current->guidance.end();
    ++(given ? messages.given : messages.waiting);
  }
  if (!refused.empty()) warn(refused, output);
  return messages;
}

/// The command that goes on with a loop that is over, from this folder; empty: there is nothing to go on with.
std::string resume_text(const LoopLook& look, const loop::Totals& totals) {
  const auto& state = *look.state;
  if (look.runs() || state.end == loop::StopReason::done) return {};
  loop::Report report;
  report.reason = state.end.value_or(loop::StopReason::stopped);
  report.totals = totals;
  report.budget.iterations = state.max_iterations.value_or(0);
  report.budget.cost_usd = state.max_cost_usd;
  report.budget.cost_per_day_usd = state.max_cost_per_day_usd;
  report.budget.time = state.max_time;
  report.elapsed = report.reason == loop::StopReason::time ? std::max(state.ran, state.max_time) : state.ran;
  report.days = state.earlier_days;
  for (const auto& [day, cost] : totals.days) report.days[day] += cost;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  std::string base = "ralph loop --resume";
  if (error || project_root_of(here) != look.folder) {
    base += " --cwd " + shell_word(look.folder.native());
  }
  return resume_command(report, now_utc(), base);
}

/// As it can be opened from here.
std::string log_path(const LoopLook& look, const loop::Record& record) {
  std::error_code error;
  const bool here = std::filesystem::current_path(error) == look.folder;
  return here || record.raw_log.empty() ? record.raw_log : (look.folder / record.raw_log).native();
}

/// Where --stash left the user's changes: "stash@{0}"; empty: nowhere.
std::string stash_of(const LoopLook& look) {
  if (!look.state->settings.contains("stash")) return {};
  std::string why_not;
  const auto work = git::Work::open(look.folder, why_not);
  if (!work || !*work) return {};
  return (*work)->stash_entry(loop::stash_message(look.state->loop_id));
}

void show(const LoopLook& look, StdOutput& output) {
  const auto& state = *look.state;
  const auto totals = loop::add_up(look.records);
  const auto run = look.run();
  const auto line = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) output.out(fmt::format("{:<10} {}\n", name, shown(text)));
  };
  line("Loop", state.loop_id);
  line("State", condition_text(look));
  line("Started", view::date_time(state.started));
  line("Goal", goal_text(state));
  line("Agent", agent_text(look));
  line("Iteration", iteration_text(look, totals));
  const auto taken_back = loop::taken_back(look.records);
  if (!taken_back.empty()) {
    line("Undone",
         loop::iterations_text(taken_back) + " ('git for-each-ref refs/ralph' lists what is kept)");
  }
  line("Now", activity_text(look, run));
  line("Elapsed", short_duration(elapsed(look, run)));
  line("Cost", dollars(cost_now(look, totals, run)) +
                   (state.max_cost_usd ? " of " + dollars(*state.max_cost_usd) : ""));
  line("Failures", fmt::format("{} in a row", totals.failures_in_a_row));
  if (totals.refused_in_a_row > 0) {
    line("Refused", counted(totals.refused_in_a_row, "DONE") + " in a row");
  }
  if (const auto* last = last_word(look.records)) {
    line("Last", last_text(*last, taken_back));
    line("Log", log_path(look, *last));
  }
  if (look.condition() == LoopCondition::ended) {
    for (const auto& finding : state.findings) line("Look at", finding);
  }
  const auto messages = messages_of(look, output);
  if (messages.given > 0) {
    line("Guidance", fmt::format("{} in the prompt of iteration {}",
                                 counted(messages.given, "message"), state.current->iteration));
  }
  if (messages.waiting > 0) {
    line("Guidance", counted(messages.waiting, "message") + " " + look.reader());
  }
  const loop::StateFiles files(look.folder);
  if (look.runs() && files.asked_to_stop()) line("Stop", "asked for: after this iteration");
  if (const auto stash = stash_of(look); !stash.empty()) {
    line("Stash", "your changes from before the loop: git stash pop --index " + stash);
  }
  line("Resume", resume_text(look, totals));
}

void add_current(ObjectWriter& to, const LoopLook& look, const std::optional<RunLook>& run) {
  const auto& state = *look.state;
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
  if (const auto activity = activity_text(look, run); !activity.empty()) {
    to.text("activity", activity);
  }
  if (state.waiting_until) {
    to.text("waiting_for", state.waiting_for).text("waiting_until", iso_utc(*state.waiting_until));
  }
}

std::string as_json(const LoopLook& look, StdOutput& output) {
  const auto& state = *look.state;
  const auto totals = loop::add_up(look.records);
  const auto run = look.run();
  const loop::StateFiles files(look.folder);
  std::string out;
  ObjectWriter to(out);
  to.text("loop_id", state.loop_id).text("state", to_string(look.condition()));
  if (look.runs() && look.holder->pid > 0) to.number("pid", look.holder->pid);
  to.text("started_at", iso_utc(state.started));
  if (state.end) to.text("end", loop::row(*state.end).name).text("why", why_ended(look));
  if (const auto resume = resume_text(look, totals); !resume.empty()) to.text("resume", resume);
  if (const auto stash = stash_of(look); !stash.empty()) {
    to.text("stash", "refs/ralph/" + loop::stash_name(state.loop_id)).text("stash_entry", stash);
  }
  if (const auto done = final_done(look)) {
    const bool verified = done->verification && done->verification->passed;
    if (verified) to.text("verified", loop::how_known(*done));
    if (!verified) to.boolean("claimed", true);
  }
  if (look.condition() == LoopCondition::ended && !state.findings.empty()) {
    to.raw("findings", texts_json(state.findings));
  }
  to.text("goal_file", state.goal_file).text("goal", state.goal);
  if (!state.backend.empty()) to.text("backend", state.backend);
  if (const auto model = loop::model_used(look.records); !model.empty()) to.text("model", model);
  to.number("iterations", totals.iterations);
  if (const auto gone = loop::taken_back(look.records); !gone.empty()) {
    to.raw("taken_back", fmt::format("[{}]", fmt::join(gone, ",")));
  }
  if (state.max_iterations) to.number("max_iterations", *state.max_iterations);
  add_current(to, look, run);
  to.number("elapsed_ms", std::int64_t{elapsed(look, run).count()});
  if (const auto cost = cost_now(look, totals, run)) to.number("cost_usd", *cost);
  if (state.max_cost_usd) to.number("max_cost_usd", *state.max_cost_usd);
  to.number("failures_in_a_row", totals.failures_in_a_row)
      .number("refused_in_a_row", totals.refused_in_a_row);
  if (const auto* last = last_word(look.records)) {
    to.text("last", last->progress);
    if (last->done) to.boolean("last_refused", last->is(loop::LoopDecision::refused));
    if (!last->raw_log.empty()) to.text("raw_log", log_path(look, *last));
  }
  const auto messages = messages_of(look, output);
  to.number("guidance", messages.waiting).number("guidance_in_prompt", messages.given);
  to.boolean("stop_asked", look.runs() && files.asked_to_stop());
  to.close();
  return json::mask(utf8::repaired(out), log_masker()) + "\n";
}

Result<> status(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  TRY_ASSIGN(const auto look, look_at_loop(folder, output));
  if (!look.state) {
    return fail(Code::not_found, fmt::format("no loop has run in '{}'", folder.native()),
                look.runs() ? "one is just beginning: ask again"
                            : "begin one with 'ralph loop GOAL.md', or name its folder with --cwd");
  }
  if (arguments.flag("report")) {
    const auto text = loop::StateFiles(folder).report(look.state->loop_id);
    const auto begin = text.find_first_not_of('\n');
    if (begin == text.npos) {
      return fail(Code::not_found, fmt::format("the loop {} has no report", look.state->loop_id),
                  "a loop that ends leaves one; 'ralph status' shows what is known");
    }
    output.out(view::safe_text(std::string_view(text).substr(begin)));
    const auto undone = loop::taken_back(look.records);
    if (!undone.empty()) {
      output.out(fmt::format("Undone       since then: {}\n", loop::iterations_text(undone)));
    }
    return {};
  }
  if (arguments.flag("json")) {
    output.out(as_json(look, output));
  } else {
    show(look, output);
  }
  return {};
}

int status_command(const Arguments& arguments, StdOutput& output) {
  const auto shown = status(arguments, output);
  return shown ? 0 : report(shown.error(), output);
}

constexpr Option kOptions[] = {
    {"--json", "", "as one JSON object"},
    {"--report", "", "the report of its last end: files, commits, time, tokens, cost"},
    kCwdOption,
};
constexpr Example kExamples[] = {
    {"ralph status", "what the loop of this folder is doing, from another terminal"},
    {"watch ralph status", "again and again"},
    {"ralph status --json | jq -r .state", "running, waiting, ended or died"},
};

}  // namespace

constinit const Command kStatusCommand{
    "status",
    "show what the loop of a folder is doing",
    "Reads what 'ralph loop' keeps on the disk and whether it still runs. Changes nothing.\n"
    "Exit codes: 0 there is a loop, running or not; 2 there is none.",
    {},
    kOptions,
    kExamples,
    status_command,
};

}  // namespace ralph::cli

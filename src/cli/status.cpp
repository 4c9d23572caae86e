#include <algorithm>
#include <string>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_header.h"
#include "cli/loop_json.h"
#include "cli/loop_snapshot.h"
#include "cli/status_facts.h"
#include "core/base/utf8.h"
#include "core/json/mask.h"
#include "core/json/writer.h"
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

std::string condition_text(const LoopSnapshot& snapshot) {
  const auto condition = snapshot.condition();
  if (condition == LoopCondition::died) return "died: it was killed, or could not save its state";
  if (condition == LoopCondition::ended) return "ended: " + why_ended(snapshot);
  const auto text = std::string(to_string(condition));
  return snapshot.holder->pid > 0 ? text + fmt::format(" (pid {})", snapshot.holder->pid) : text;
}

std::string iteration_text(const LoopSnapshot& snapshot, const loop::Totals& totals) {
  const auto& state = *snapshot.state;
  const auto of = state.max_iterations ? fmt::format("/{}", *state.max_iterations) : "";
  if (!snapshot.runs() || !state.current || state.current->phase == loop::Phase::summary) {
    return fmt::format("{}{} finished", totals.iterations, of);
  }
  const auto& current = *state.current;
  return fmt::format("{}{} ({})", current.iteration, of, short_duration(since(current.began)));
}

/// The model that the agent said it uses, or else the one it was told to use.
std::string agent_text(const LoopSnapshot& snapshot) {
  const auto used = loop::model_used(snapshot.records);
  const auto& model = used.empty() ? snapshot.state->model : used;
  return snapshot.state->backend + (model.empty() ? "" : ", model " + model);
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

void show(const LoopSnapshot& snapshot, StdOutput& output) {
  const auto& state = *snapshot.state;
  const auto totals = loop::add_up(snapshot.records);
  const auto run = snapshot.run();
  const auto line = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) output.out(fmt::format("{:<10} {}\n", name, shown(text)));
  };
  line("Loop", state.loop_id);
  line("State", condition_text(snapshot));
  line("Started", view::date_time(state.started));
  line("Goal", goal_text(state));
  line("Agent", agent_text(snapshot));
  line("Iteration", iteration_text(snapshot, totals));
  const auto taken_back = loop::taken_back(snapshot.records);
  if (!taken_back.empty()) {
    line("Undone",
         loop::iterations_text(taken_back) + " ('git for-each-ref refs/ralph' lists what is kept)");
  }
  line("Now", activity_text(snapshot, run));
  line("Elapsed", short_duration(elapsed(snapshot, run)));
  line("Cost", dollars(cost_now(snapshot, totals, run)) +
                   (state.max_cost_usd ? " of " + dollars(*state.max_cost_usd) : ""));
  line("Failures", fmt::format("{} in a row", totals.failures_in_a_row));
  if (totals.refused_in_a_row > 0) {
    line("Refused", counted(totals.refused_in_a_row, "DONE") + " in a row");
  }
  if (const auto* last = last_worker_step(snapshot.records)) {
    line("Last", last_text(*last, taken_back));
  }
  line("Log", log_path(snapshot, run));
  if (snapshot.condition() == LoopCondition::ended) {
    for (const auto& finding : state.findings) line("Look at", finding);
  }
  const auto messages = messages_of(snapshot, output);
  if (messages.given > 0) {
    line("Guidance", fmt::format("{} in the prompt of iteration {}",
                                 counted(messages.given, "message"), state.current->iteration));
  }
  if (messages.waiting > 0) {
    line("Guidance", counted(messages.waiting, "message") + " " + snapshot.reader());
  }
  const loop::StateFiles files(snapshot.folder);
  if (snapshot.runs() && files.asked_to_stop()) line("Stop", "asked for: after this iteration");
  if (const auto stash = stash_of(snapshot); !stash.empty()) {
    line("Stash", "your changes from before the loop: git stash pop --index " + stash);
  }
  line("Resume", resume_text(snapshot, totals));
}

void add_current(ObjectWriter& to, const LoopSnapshot& snapshot,
                 const std::optional<RunSnapshot>& run) {
  const auto& state = *snapshot.state;
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
  if (const auto activity = activity_text(snapshot, run); !activity.empty()) {
    to.text("activity", activity);
  }
  if (state.waiting_until) {
    to.text("waiting_for", state.waiting_for).text("waiting_until", iso_utc(*state.waiting_until));
  }
}

std::string as_json(const LoopSnapshot& snapshot, StdOutput& output) {
  const auto& state = *snapshot.state;
  const auto totals = loop::add_up(snapshot.records);
  const auto run = snapshot.run();
  const loop::StateFiles files(snapshot.folder);
  std::string out;
  ObjectWriter to(out);
  to.text("loop_id", state.loop_id).text("state", to_string(snapshot.condition()));
  if (snapshot.runs() && snapshot.holder->pid > 0) to.number("pid", snapshot.holder->pid);
  to.text("started_at", iso_utc(state.started));
  if (state.end) to.text("end", loop::row(*state.end).name).text("why", why_ended(snapshot));
  if (const auto resume = resume_text(snapshot, totals); !resume.empty()) to.text("resume", resume);
  if (const auto stash = stash_of(snapshot); !stash.empty()) {
    to.text("stash", "refs/ralph/" + loop::stash_name(state.loop_id)).text("stash_entry", stash);
  }
  if (const auto done = final_done(snapshot)) {
    const bool verified = done->verification && done->verification->passed;
    if (verified) to.text("verified", loop::how_known(*done));
    if (!verified) to.boolean("claimed", true);
  }
  if (snapshot.condition() == LoopCondition::ended && !state.findings.empty()) {
    to.raw("findings", texts_json(state.findings));
  }
  to.text("goal_file", goal_file_from_here(state)).text("goal", state.goal);
  if (!state.backend.empty()) to.text("backend", state.backend);
  if (const auto model = loop::model_used(snapshot.records); !model.empty())
    to.text("model", model);
  to.number("iterations", totals.iterations);
  if (const auto gone = loop::taken_back(snapshot.records); !gone.empty()) {
    to.raw("taken_back", fmt::format("[{}]", fmt::join(gone, ",")));
  }
  if (state.max_iterations) to.number("max_iterations", *state.max_iterations);
  add_current(to, snapshot, run);
  to.number("elapsed_ms", std::int64_t{elapsed(snapshot, run).count()});
  if (const auto cost = cost_now(snapshot, totals, run)) to.number("cost_usd", *cost);
  if (state.max_cost_usd) to.number("max_cost_usd", *state.max_cost_usd);
  to.number("failures_in_a_row", totals.failures_in_a_row)
      .number("refused_in_a_row", totals.refused_in_a_row);
  if (const auto* last = last_worker_step(snapshot.records)) {
    to.text("last", last->progress);
    if (last->done) to.boolean("last_refused", last->is(loop::LoopDecision::refused));
  }
  if (const auto log = log_path(snapshot, run); !log.empty()) to.text("raw_log", log);
  const auto messages = messages_of(snapshot, output);
  to.number("guidance", messages.waiting).number("guidance_in_prompt", messages.given);
  to.boolean("stop_asked", snapshot.runs() && files.asked_to_stop());
  to.close();
  return json::mask(utf8::repaired(out), log_masker()) + "\n";
}

Result<> status(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  TRY_ASSIGN(const auto snapshot, read_loop(folder, output));
  if (!snapshot.state) {
    return fail(Code::not_found, fmt::format("no loop has run in '{}'", folder.native()),
                snapshot.runs()
                    ? "one is just beginning: ask again"
                    : "begin one with 'ralph loop GOAL.md', or name its folder with --cwd");
  }
  if (arguments.flag("report")) {
    const auto text = loop::StateFiles(folder).report(snapshot.state->loop_id);
    const auto begin = text.find_first_not_of('\n');
    if (begin == text.npos) {
      return fail(Code::not_found,
                  fmt::format("the loop {} has no report", snapshot.state->loop_id),
                  "a loop that ends leaves one; 'ralph status' shows what is known");
    }
    output.out(view::safe_text(std::string_view(text).substr(begin)));
    const auto undone = loop::taken_back(snapshot.records);
    if (!undone.empty()) {
      output.out(fmt::format("Undone       since then: {}\n", loop::iterations_text(undone)));
    }
    return {};
  }
  if (arguments.flag("json")) {
    output.out(as_json(snapshot, output));
  } else {
    show(snapshot, output);
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

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_look.h"
#include "json/mask.h"
#include "json/writer.h"
#include "loop/guidance.h"
#include "loop/policy.h"
#include "loop/state_store.h"
#include "view/figures.h"
#include "view/safe_text.h"

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

/// What it had run when the state was written, and what has passed since.
Millis elapsed(const LoopLook& look) {
  return look.state->ran + (look.runs() ? since(look.state->updated) : Millis{0});
}

std::string condition_text(const LoopLook& look) {
  const auto& state = *look.state;
  const auto condition = look.condition();
  if (condition == "died") return "died: it was killed; 'ralph loop --resume' goes on";
  if (condition == "ended") {
    const auto end = loop::end_named(state.end);
    auto text = fmt::format("ended: {}", end ? loop::row(*end).meaning : state.end);
    if (!state.end_why.empty()) text += ": " + state.end_why;
    return text;
  }
  auto text = std::string(condition);
  if (condition == "waiting") {
    const auto left = state.waiting_until.value_or(now_utc()) - now_utc();
    text +=
        fmt::format(" {} for {}", view::countdown(std::max(Millis{0}, left)), state.waiting_for);
  }
  return look.holder->pid > 0 ? text + fmt::format(" (pid {})", look.holder->pid) : text;
}

std::string iteration_text(const LoopLook& look, const loop::Totals& totals) {
  const auto& state = *look.state;
  const auto of = state.max_iterations ? fmt::format("/{}", *state.max_iterations) : "";
  if (!look.runs() || !state.current) {
    return fmt::format("{}{} finished", totals.iterations, of);
  }
  const auto& current = *state.current;
  return fmt::format("{}{}, {} for {}", current.iteration, of,
                     current.phase.empty() ? "agent" : current.phase,
                     short_duration(since(current.began)));
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

std::size_t waiting_guidance(const LoopLook& look, StdOutput& output) {
  std::string refused;
  const auto waiting =
      loop::Guidance(look.folder, loop::user_state_folder()).pending(refused).size();
  if (!refused.empty()) warn(refused, output);
  return waiting;
}

void show(const LoopLook& look, StdOutput& output) {
  const auto& state = *look.state;
  const auto totals = loop::add_up(look.records);
  const auto line = [&](std::string_view name, std::string_view text) {
    output.out(fmt::format("{:<10} {}\n", name, shown(text)));
  };
  line("Loop", state.loop_id);
  line("State", condition_text(look));
  line("Goal", fmt::format("{}{}{}", state.goal_file, state.goal_file.empty() ? "" : ": ",
                           std::string_view(state.goal).substr(0, state.goal.find('\n'))));
  line("Iteration", iteration_text(look, totals));
  line("Elapsed", short_duration(elapsed(look)));
  line("Cost", dollars(totals.cost_usd) +
                   (state.max_cost_usd ? " of " + dollars(*state.max_cost_usd) : ""));
  line("Failures", fmt::format("{} in a row", totals.failures_in_a_row));
  if (const auto* last = last_word(look.records)) {
    line("Last", fmt::format("iteration {}: {}", last->iteration, last->progress));
    if (!last->raw_log.empty()) line("Log", last->raw_log);
  }
  const loop::Files files(look.folder);
  const auto waiting = waiting_guidance(look, output);
  if (waiting > 0) {
    line("Guidance",
         fmt::format("{} for iteration {}", counted(static_cast<std::int64_t>(waiting), "message"),
                     look.next_iteration()));
  }
  if (look.runs() && files.asked_to_stop()) line("Stop", "asked for: after this iteration");
}

std::string as_json(const LoopLook& look, StdOutput& output) {
  const auto& state = *look.state;
  const auto totals = loop::add_up(look.records);
  const loop::Files files(look.folder);
  std::string out;
  ObjectWriter to(out);
  to.text("loop_id", state.loop_id).text("state", look.condition());
  if (look.runs() && look.holder->pid > 0) to.number("pid", look.holder->pid);
  if (!state.end.empty()) to.text("end", state.end).text("why", state.end_why);
  to.text("goal_file", state.goal_file).text("goal", state.goal);
  to.number("iterations", totals.iterations);
  if (state.max_iterations) to.number("max_iterations", *state.max_iterations);
  if (state.current) {
    std::string current;
    ObjectWriter(current)
        .number("iteration", state.current->iteration)
        .text("phase", state.current->phase)
        .text("run_id", state.current->run_id)
        .text("began_at", iso_utc(state.current->began))
        .close();
    to.raw("current", current);
  }
  if (state.waiting_until) {
    to.text("waiting_for", state.waiting_for).text("waiting_until", iso_utc(*state.waiting_until));
  }
  to.number("elapsed_ms", std::int64_t{elapsed(look).count()}).number("cost_usd", totals.cost_usd);
  if (state.max_cost_usd) to.number("max_cost_usd", *state.max_cost_usd);
  to.number("failures_in_a_row", totals.failures_in_a_row);
  if (const auto* last = last_word(look.records)) {
    to.text("last", last->progress);
    if (!last->raw_log.empty()) to.text("raw_log", last->raw_log);
  }
  to.number("guidance", static_cast<std::int64_t>(waiting_guidance(look, output)));
  to.boolean("stop_asked", files.asked_to_stop());
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
    kCwdOption,
};
constexpr Example kExamples[] = {
    {"ralph status", "what the loop of this folder is at, from another terminal"},
    {"watch ralph status", "again and again"},
    {"ralph status --json | jq -r .state", "running, waiting, ended or died"},
};

}  // namespace

constinit const Command kStatusCommand{
    "status",
    "tell what the loop of a folder is at",
    "Reads what 'ralph loop' keeps on the disk and whether it still runs. Disturbs nobody.\n"
    "Exit codes: 0 there is a loop, running or not; 2 there is none.",
    {},
    kOptions,
    kExamples,
    status_command,
};

}  // namespace ralph::cli

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_folder.h"
#include "cli/run_settings.h"
#include "core/base/names.h"
#include "harness/backend/backend.h"
#include "harness/store/guidance.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/loop_state_store.h"
#include "system/git/worktree.h"
#include "ui/console/loop_status.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

/// The iteration whose DONE ended the loop, from the record that no agent can write.
std::optional<store::LoopRecord> final_done(const console::LoopSnapshot& snapshot) {
  const auto& state = *snapshot.state;
  if (snapshot.condition() != console::LoopCondition::ended ||
      state.end != store::StopReason::done) {
    return std::nullopt;
  }
  store::LoopStateStore store(snapshot.folder, store::user_state_folder());
  const auto known = store.load(store::LoopStateStore::Source::trusted);
  if (!known || !*known || (*known)->state.loop_id != state.loop_id) return std::nullopt;
  const auto* last = store::last_worker_step((*known)->records);
  return last != nullptr && last->done ? std::optional(*last) : std::nullopt;
}

void count_guidance(console::StatusFacts& facts, StdOutput& output) {
  std::string refused;
  const auto& current = facts.loop.state->current;
  const store::Guidance guidance(facts.loop.folder, store::user_state_folder());
  for (const auto& message : guidance.pending(refused)) {
    const bool given =
        facts.loop.runs() && current &&
        std::ranges::find(current->guidance, message.name) != current->guidance.end();
    ++(given ? facts.guidance_given : facts.guidance_waiting);
  }
  if (!refused.empty()) warn(refused, output);
}

std::string stash_of(const console::LoopSnapshot& snapshot) {
  if (!snapshot.state->settings.contains("stash")) return {};
  Error why_not;
  const auto work = git::Worktree::open(snapshot.folder, why_not);
  if (!work || !*work) return {};
  return (*work)->stash_entry(store::stash_message(snapshot.state->loop_id));
}

console::StatusFacts facts_of(console::LoopSnapshot snapshot, StdOutput& output) {
  console::StatusFacts facts;
  facts.run = snapshot.run(log_masker());
  facts.loop = std::move(snapshot);
  facts.done = final_done(facts.loop);
  const auto* const backend = backend::find_backend(facts.loop.state->backend);
  facts.agent_reports_cost = backend == nullptr || backend->can.cost;
  count_guidance(facts, output);
  const auto& folder = facts.loop.folder;
  facts.stop_requested = facts.loop.runs() && store::LoopStateFiles(folder).asked_to_stop();
  facts.stash_entry = stash_of(facts.loop);
  std::error_code error;
  facts.current_folder = std::filesystem::current_path(error);
  facts.resume_base = "ralph loop --resume";
  if (error || project_root_of(facts.current_folder) != folder) {
    facts.resume_base += " --cwd " + shell_word(folder.native());
  }
  return facts;
}

Result<> show_report(const console::LoopSnapshot& snapshot, StdOutput& output) {
  const auto& id = snapshot.state->loop_id;
  const auto text = store::LoopStateFiles(snapshot.folder).report(id);
  const auto begin = text.find_first_not_of('\n');
  if (begin == text.npos) {
    return fail(Code::not_found, fmt::format("loop {} has no report", id),
                "a loop writes its report when it ends; 'ralph status' shows the current state");
  }
  output.out(console::safe_text(std::string_view(text).substr(begin)));
  const auto undone = store::taken_back(snapshot.records);
  if (!undone.empty()) {
    output.out(fmt::format("Undone       since then: {}\n", store::iterations_text(undone)));
  }
  return {};
}

/// Its files in `.ralph` are missing or broken. ralph's own records may be there.
Error no_loop(const console::LoopSnapshot& snapshot) {
  const auto& folder = snapshot.folder;
  if (!snapshot.runs()) {
    store::LoopStateStore store(folder, store::user_state_folder());
    const auto known = store.load(store::LoopStateStore::Source::trusted);
    if (known && *known) {
      return {Code::not_found,
              fmt::format("the state of the loop is missing or broken in '{}'",
                          (folder / ".ralph/state").native()),
              "'ralph loop --resume' continues it from ralph's own records"};
    }
  }
  return {Code::not_found, fmt::format("no loop has run in '{}'", folder.native()),
          snapshot.runs()
              ? "a loop is starting: try again"
              : "start one with 'ralph loop GOAL.md', or name its directory with --cwd"};
}

Result<> status(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  auto snapshot = read_loop(folder, output);
  if (!snapshot.state) return std::unexpected(no_loop(snapshot));
  if (arguments.flag("report")) return show_report(snapshot, output);
  const auto facts = facts_of(std::move(snapshot), output);
  output.out(arguments.flag("json") ? console::status_json(facts, log_masker())
                                    : console::status_text(facts, log_masker()));
  return {};
}

int status_command(const Arguments& arguments, StdOutput& output) {
  const auto shown = status(arguments, output);
  return shown ? 0 : report(shown.error(), output);
}

constexpr Option kStatusOptions[] = {
    {"--json", "", "as one JSON object"},
    {"--report", "", "the report it wrote when it ended: files, commits, time, tokens, cost"},
    kCwdOption,
};
constexpr Example kStatusExamples[] = {
    {"ralph status", "what the loop is doing, from another terminal"},
    {"watch ralph status", "updated every two seconds"},
    {"ralph status --json | jq -r .state", "running, waiting, ended or died"},
};

}  // namespace

constinit const Command kStatusCommand{
    "status",
    "show what the loop is doing",
    "Reads the loop's files in .ralph and checks whether it is running. Changes nothing.\n"
    "Exit codes: 0 a loop was found, running or not; 2 no loop has run here.",
    {},
    kStatusOptions,
    kStatusExamples,
    status_command,
};

}  // namespace ralph::cli

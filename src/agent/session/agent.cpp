#include "agent/session/agent.h"

#include <csignal>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/session/control_request_handler.h"
#include "agent/session/reader.h"
#include "agent/session/work_impl.h"
#include "core/base/id.h"
#include "system/git/git.h"

namespace ralph::session {
namespace {

constexpr int kInterruptedExit = 130;

/// Options whose absence of effect somebody would miss.
std::vector<std::string_view> without_effect(const settings::Options& options) {
  std::vector<std::string_view> names;
  if (!options.agents.empty()) names.emplace_back("--agents");
  if (!options.agent.empty()) names.emplace_back("--agent");
  if (!options.permission_prompt_tool.empty()) names.emplace_back("--permission-prompt-tool");
  return names;
}

}  // namespace

void end_without_reader(const Io& io, TurnControl& live) {
  if (live.abandoned()) return;
  // A client that has all its answers may go without a word.
  if (const auto code = live.answered()) return live.abandon(*code);
  io.err("ralph: stdout is closed or cannot be written; the agent ends\n");
  live.abandon(1);
}

int Work::give_up(const Error& error) const {
  say(describe(error));
  return 1;
}

/// Clients that read the stream wait for a result.
int Work::give_up_with_result(const Error& error) {
  say(describe(error));
  if (options_.output == settings::Format::stream_json) {
    ResultFacts facts;
    facts.subtype = "error_during_execution";
    facts.is_error = true;
    facts.errors = {describe(error)};
    const EventMaker events(options_.resume.value_or(make_uuid()));
    writer_.event(events.result(facts, false));
  }
  return 1;
}

int Work::run() {
  for (const auto& warning : options_.warnings) say(warning);
  for (const auto name : without_effect(options_)) {
    say(fmt::format("ralph: {} has no effect yet", name));
  }
  if (!options_.json_schema.empty()) {
    auto made = StructuredOutput::make(options_.json_schema);
    if (!made) return give_up(made.error());
    structured_ = *std::move(made);
  }
  if (const auto head = git::read_head(setup_.cwd); head && *head) git_branch_ = (*head)->branch;
  auto opening = open(options_);
  if (!opening) {
    const bool missing = opening.error().code == Code::not_found;
    return missing ? give_up_with_result(opening.error()) : give_up(opening.error());
  }
  if (const auto ready = prepare(*std::move(opening)); !ready) {
    const bool unsupported = ready.error().code == Code::unavailable;
    return unsupported ? give_up_with_result(ready.error()) : give_up(ready.error());
  }
  return converse();
}

Result<Opening> Work::open(const settings::Options& options) const {
  return open_session(options, {setup_.cwd, setup_.environment.config_folder(), git_branch_});
}

int Agent::run() { return Work(setup_, control_).run(); }

void Agent::lose_reader() { end_without_reader(setup_.io, control_); }

void Agent::on_signal(int signal_number) {
  if (signal_number != SIGINT) return control_.abandon(128 + signal_number);
  const auto wanted = setup_.environment.number("RALPH_AGENT_SIGINT_EXIT");
  control_.finish(wanted ? static_cast<int>(*wanted) : kInterruptedExit);
}

}  // namespace ralph::session

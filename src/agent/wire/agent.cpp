#include "agent/wire/agent.h"

#include <atomic>
#include <csignal>
#include <utility>

#include <fmt/core.h>

#include "agent/session/open_session.h"
#include "agent/session/structured_output.h"
#include "agent/wire/agent_program_impl.h"
#include "agent/wire/claude_events.h"
#include "core/base/id.h"
#include "system/git/git.h"

namespace ralph::wire {
namespace {

constexpr int kInterruptedExit = 130;

int give_up(const Setup& setup, const Error& error) {
  warn(setup, describe(error));
  return 1;
}

/// Clients of the stream wait for a result.
int give_up_with_result(const Setup& setup, EventWriter& writer, const Error& error) {
  warn(setup, describe(error));
  if (setup.options.output == settings::Format::stream_json) {
    session::TurnResult result;
    result.subtype = session::ResultSubtype::execution;
    result.is_error = true;
    result.errors = {describe(error)};
    const session::Identity identity(setup.options.resume.value_or(make_uuid()));
    writer.event(result_json(identity, result, false));
  }
  return 1;
}

void end_without_reader(const Io& io, session::TurnControl& control) {
  if (control.abandoned()) return;
  // A client that has all results may disconnect silently.
  if (const auto code = control.answered()) return control.abandon(*code);
  io.err("ralph: stdout is closed or cannot be written; agent stopped\n");
  control.abandon(1);
}

}  // namespace

void warn(const Setup& setup, std::string_view line) { setup.io.err(std::string(line) + "\n"); }

int Agent::run() {
  std::atomic<bool> reporting_result = false;
  EventWriter writer(setup_.io, setup_.options.output, setup_.options.verbose, [&] {
    if (reporting_result) control_.expect_turn();  // the client did not get the result
    end_without_reader(setup_.io, control_);
  });
  for (const auto& warning : setup_.options.warnings) warn(setup_, warning);
  Prepared prepared;
  if (!setup_.options.json_schema.empty()) {
    auto made = session::StructuredOutput::make(setup_.options.json_schema);
    if (!made) return give_up(setup_, made.error());
    prepared.structured = *std::move(made);
  }
  if (const auto head = git::read_head(setup_.cwd); head && *head) {
    prepared.git_branch = (*head)->branch;
  }
  auto start = open_session(setup_, setup_.options, prepared.git_branch);
  if (!start) {
    const bool missing = start.error().code == Code::not_found;
    return missing ? give_up_with_result(setup_, writer, start.error())
                   : give_up(setup_, start.error());
  }
  auto parts = AgentParts::create(setup_, control_, writer, std::move(prepared), *start);
  if (!parts) {
    if (const auto code = control_.exit_code()) return *code;  // stopped while it waited for input
    const bool unsupported = parts.error().code == Code::unavailable;
    return unsupported ? give_up_with_result(setup_, writer, parts.error())
                       : give_up(setup_, parts.error());
  }
  auto session = (*parts)->make_session(*std::move(start));
  if (!session) return give_up(setup_, session.error());
  if (!setup_.options.session_name.empty()) (*session)->set_title(setup_.options.session_name);
  return AgentProgram(*std::move(parts), *std::move(session), writer, reporting_result).run();
}

void Agent::lose_reader() { end_without_reader(setup_.io, control_); }

void Agent::on_signal(int signal_number) {
  if (signal_number != SIGINT) return control_.abandon(128 + signal_number);
  const auto wanted = setup_.environment.number("RALPH_AGENT_SIGINT_EXIT");
  control_.finish(wanted ? static_cast<int>(*wanted) : kInterruptedExit);
}

}  // namespace ralph::wire

#include <thread>
#include <utility>

#include <fmt/core.h>

#include "agent/session/local_command.h"
#include "agent/wire/agent_program_impl.h"
#include "agent/wire/control_request_handler.h"
#include "agent/wire/reader.h"
#include "agent/wire/run_guarded.h"
#include "core/base/id.h"

namespace ralph::wire {

AgentProgram::AgentProgram(std::unique_ptr<AgentParts> parts,
                           std::unique_ptr<session::Session> session, EventWriter& writer,
                           std::atomic<bool>& reporting_result)
    : parts_(std::move(parts)),
      session_(std::move(session)),
      setup_(parts_->setup),
      options_(parts_->setup.options),
      control_(parts_->control),
      writer_(writer),
      client_setup_({.options = options_,
                     .prompt = parts_->client_prompt,
                     .setup = parts_->client_setup,
                     .modes = parts_->modes,
                     .toolbox = parts_->toolbox,
                     .system = parts_->prepared.system,
                     .structured = parts_->prepared.structured}),
      held_({.events = session::SessionEvents(parts_->meter, parts_->identity),
             .ledger = parts_->ledger,
             .inbox = parts_->inbox,
             .tasks = parts_->tasks,
             .control = control_,
             .subagent_stats = [this] { return parts_->subagents.stats(); },
             .output = options_.output,
             .reporting = reporting_result}),
      watcher_({.setup = setup_,
                .events = session::SessionEvents(parts_->meter, parts_->identity),
                .tasks = parts_->tasks,
                .inbox = parts_->inbox,
                .control = control_,
                .held = held_}) {
  parts_->subagents.when_started([this] { watcher_.start(); });
  control_.on_interrupt([this] { watcher_.interrupt(); });
}

/// Messages with a uuid are reported to the client from here on.
void AgentProgram::receive(session::UserMessage message) {
  if (!parts_->inbox.accepts(message)) return;
  control_.expect_turn();
  message.alone = !options_.disable_slash_commands && session::slash_call(message).has_value();
  if (!message.uuid.empty()) {
    emit(session::MessageProgress{message.uuid, session::MessageState::queued});
    message.started = parts_->inbox.claim();
    if (message.started)
      emit(session::MessageProgress{message.uuid, session::MessageState::started});
  }
  parts_->inbox.push(std::move(message));
}

/// Runs on its own thread until the end of input.
void AgentProgram::read_stream() {
  ControlRequestHandler handler(writer_, *parts_);
  const auto on_line = [&](std::string_view line) -> Result<> {
    TRY_ASSIGN(auto input, read_input_line(line));
    if (const auto* request = std::get_if<ControlRequest>(&input)) handler.handle(*request);
    if (auto* response = std::get_if<ControlResponse>(&input)) {
      parts_->client.accept(std::move(*response));
    }
    if (auto* message = std::get_if<session::UserMessage>(&input)) receive(std::move(*message));
    return {};
  };
  const auto read =
      read_lines(setup_.io.in, control_.over(), on_line, std::move(parts_->prepared.read_ahead));
  if (!read) {
    warn(setup_, read.error().message);
    control_.abandon(1);
  }
}

/// A hook can stop the agent.
void AgentProgram::start_session(session::StartSource source) {
  const auto answer = session_->start(source, control_.over());
  if (!answer.stop) return;
  session::TurnResult result;
  result.subtype = session::ResultSubtype::execution;
  result.is_error = true;
  result.terminal_reason = session::TerminalReason::hook_stopped;
  result.errors = {fmt::format("A SessionStart hook stopped the agent: {}", *answer.stop)};
  warn(setup_, "ralph: " + result.errors.front());
  report(std::move(result));
  control_.finish(1);
}

int AgentProgram::run() {
  std::jthread reader;
  if (options_.input == settings::Format::stream_json) {
    reader = std::jthread([this] {
      run_guarded(setup_, control_, [this] { read_stream(); });
      parts_->client.close();
      parts_->inbox.close();
    });
  } else {
    auto prompt = read_prompt(options_.prompt, setup_.io, control_.over());
    if (const auto code = control_.exit_code()) return *code;
    if (!prompt) {
      warn(setup_, describe(prompt.error()));
      return 1;
    }
    parts_->inbox.push(*std::move(prompt));
    parts_->inbox.close();
  }
  run_guarded(setup_, control_, [this] { answer_all(); });
  return control_.exit_code().value_or(held_.last_is_error() ? 1 : 0);
}

/// From the start of the session to its end.
void AgentProgram::answer_all() {
  start_session(session_->introduced() ? session::StartSource::resume
                                       : session::StartSource::startup);
  for (;;) {
    auto messages = parts_->inbox.next(control_.over());
    if (messages.empty()) break;
    answer(std::move(messages));
    watcher_.start();
  }
  if (!control_.abandoned()) held_.release(HeldResults::Subagents::stopped);
  client_setup_.record_title(*session_);
  writer_.finish();
  if (!control_.over().stop_requested()) session_->end(session::EndReason::other, control_.over());
  explain_denials();
}

void AgentProgram::complete(const session::MessageIds& messages, session::MessageState state) {
  for (const auto& uuid : messages) emit(session::MessageProgress{uuid, state});
}

/// Empty: not a local command.
std::string AgentProgram::local_command(const std::vector<session::UserMessage>& messages) const {
  const auto call = messages.size() == 1 ? session::slash_call(messages.front()) : std::nullopt;
  if (!call || options_.disable_slash_commands) return {};
  const bool own =
      session::is_local_command(call->name) && parts_->skills.find(call->name) == nullptr;
  return own || call->name == session::kClear ? call->name : "";
}

/// Answers without the model.
void AgentProgram::run_local_command(const session::UserMessage& message, const std::string& name) {
  session::TurnResult result;
  result.local_command = name;
  if (!message.uuid.empty()) {
    result.answers = {message.uuid};
    if (!message.started)
      emit(session::MessageProgress{message.uuid, session::MessageState::started});
  }
  if (name != session::kClear) {
    result.text = session::unavailable(name);
  } else if (const auto cleared = clear(message); !cleared) {
    result.subtype = session::ResultSubtype::execution;
    result.is_error = true;
    result.errors = {describe(cleared.error())};
    warn(setup_, result.errors.front());
  }
  session_->announce(result.answers);
  if (!result.text.empty()) emit(session::LocalReply{result.text});
  const auto answered = result.answers;
  report(std::move(result));
  complete(answered);
}

/// Starts a new session without history and cost. The file of the old one stays; its background tasks end with it.
Result<> AgentProgram::clear(const session::UserMessage& message) {
  auto options = options_;
  options.continue_last = false;
  options.resume.reset();
  options.session_id.clear();
  TRY_ASSIGN(auto start, open_session(setup_, options, parts_->prepared.git_branch));
  watcher_.end_all();
  held_.release(HeldResults::Subagents::stopped);
  emit(session::ConversationReset{message.uuid.empty() ? make_uuid() : message.uuid});
  emit(session::TasksChanged{parts_->tasks.list()});
  session_->end(session::EndReason::clear, control_.over());
  parts_->change_session(start);
  TRY_ASSIGN(session_, parts_->make_session(std::move(start)));
  start_session(session::StartSource::clear);
  return {};
}

void AgentProgram::answer(std::vector<session::UserMessage> messages) {
  if (const auto name = local_command(messages); !name.empty()) {
    return run_local_command(messages.front(), name);
  }
  watcher_.begin_turn();
  const auto stop = control_.begin_turn();
  parts_->servers.wait(stop);
  const auto compact = options_.disable_slash_commands || messages.size() != 1
                           ? std::nullopt
                           : session::compact_command(messages.front().content);
  if (!compact) {
    for (auto& message : messages) parts_->expander.expand(message, stop);
    for (auto& note : watcher_.take_notes()) messages.push_back(std::move(note));
  }
  client_setup_.apply(*session_);
  if (!compact) client_setup_.add_plan_note(messages.back());
  auto answered = compact ? session_->compact(std::move(messages.front()), *compact, stop)
                          : session_->answer(std::move(messages), stop);
  control_.end_turn();
  if (!answered) return;
  complete(answered->folded_in);
  const auto reason = answered->result.terminal_reason;
  const bool aborted = reason == session::TerminalReason::aborted_streaming ||
                       reason == session::TerminalReason::aborted_tools;
  report(std::move(answered->result));
  using session::MessageState;
  complete(answered->messages, aborted ? MessageState::cancelled : MessageState::completed);
}

/// The model may claim success all the same.
void AgentProgram::explain_denials() const {
  if (denials_ == 0 || !parts_->prepared.settings.not_trusted) return;
  warn(setup_, fmt::format("ralph: {} denied, and the permissions of this workspace's settings did "
                           "not count, because it is not trusted ('ralph trust' trusts it)",
                           denials_ == 1 ? "a tool call was"
                                         : fmt::format("{} tool calls were", denials_)));
}

void AgentProgram::report(session::TurnResult result) {
  denials_ += result.denials.size();
  if (result.local_command.empty() || parts_->ledger.cost_usd() > 0) session_->record_totals();
  held_.add(std::move(result));
  const bool open = watcher_.subagents_open();
  if (control_.abandoned()) return;
  if (!open) return held_.release(HeldResults::Subagents::done);
  if (control_.over().stop_requested()) held_.release(HeldResults::Subagents::stopped);
}

}  // namespace ralph::wire

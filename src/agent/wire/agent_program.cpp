#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "agent/session/local_command.h"
#include "agent/session/plan_tools.h"
#include "agent/wire/agent_program_impl.h"
#include "agent/wire/control_request_handler.h"
#include "agent/wire/reader.h"
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
      held_({.events = session::SessionEvents(parts_->meter, parts_->identity),
             .ledger = parts_->ledger,
             .inbox = parts_->inbox,
             .tasks = parts_->tasks,
             .control = control_,
             .subagent_stats = [this] { return parts_->subagents.stats(); },
             .output = options_.output,
             .reporting = reporting_result}) {
  parts_->subagents.when_started([this] { watch_tasks(); });
  control_.on_interrupt([this] { interrupt_subagents(); });
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

/// An exception stops the agent with a message: all threads, wherever they wait.
void AgentProgram::run_guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    control_.abandon(1);
    warn(setup_, "ralph: out of memory; agent stopped (a limit such as ulimit -v may be too low)");
  } catch (const std::exception& error) {
    control_.abandon(1);
    warn(setup_, fmt::format("ralph: internal error: {}; agent stopped", error.what()));
  }
}

int AgentProgram::run() {
  std::jthread reader;
  if (options_.input == settings::Format::stream_json) {
    reader = std::jthread([this] {
      run_guarded([this] { read_stream(); });
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
  run_guarded([this] { answer_all(); });
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
    watch_tasks();
  }
  if (!control_.abandoned()) held_.release(HeldResults::Subagents::stopped);
  record_title();
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
  result.total_cost_usd = parts_->ledger.cost_usd();
  result.totals = parts_->ledger.totals();
  result.recent_totals = parts_->ledger.since_last_result();
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
  end_tasks();
  emit(session::ConversationReset{message.uuid.empty() ? make_uuid() : message.uuid});
  emit(session::TasksChanged{parts_->tasks.list()});
  session_->end(session::EndReason::clear, control_.over());
  parts_->change_session(start);
  TRY_ASSIGN(session_, parts_->make_session(std::move(start)));
  start_session(session::StartSource::clear);
  return {};
}

/// What they have not reported yet is reported to nobody. Between turns.
void AgentProgram::end_tasks() {
  parts_->tasks.end_all();
  {
    const std::lock_guard lock(watch_mutex_);
    if (watcher_.joinable()) watcher_.join();
  }
  parts_->inbox.drop_notifications();
  {
    const std::lock_guard lock(notes_mutex_);
    notes_.clear();
  }
  held_.release(HeldResults::Subagents::stopped);
}

void AgentProgram::answer(std::vector<session::UserMessage> messages) {
  if (const auto name = local_command(messages); !name.empty()) {
    return run_local_command(messages.front(), name);
  }
  interrupted_ = false;  // before an interrupt can be about this turn
  const auto stop = control_.begin_turn();
  parts_->servers.wait(stop);
  const auto compact = options_.disable_slash_commands || messages.size() != 1
                           ? std::nullopt
                           : session::compact_command(messages.front().content);
  if (!compact) {
    for (auto& message : messages) parts_->expander.expand(message, stop);
    add_notes(messages);
  }
  apply_client_setup();
  if (!compact) add_plan_note(messages.back());
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

/// What the client has asked for since the last turn. The system prompt of a session does not change once it was sent.
void AgentProgram::apply_client_setup() {
  const bool own_prompt = session_->introduced() || !options_.agent.empty();
  auto system = own_prompt ? std::nullopt : parts_->client_prompt.apply(options_);
  if (system) {
    session_->set_system_prompt(*system);
    parts_->prepared.system = *std::move(system);
  }
  record_title();
  const auto setup = parts_->client_setup.get();
  if (!setup.json_schema || *setup.json_schema == client_schema_) return;
  client_schema_ = *setup.json_schema;
  auto structured = session::StructuredOutput::make(*setup.json_schema);
  if (!structured) return;  // initialize has refused it
  parts_->prepared.structured = *std::move(structured);
  session_->set_structured_output(&*parts_->prepared.structured);
}

/// In plan mode the model must know that it is to plan; clients can switch the mode between turns.
void AgentProgram::add_plan_note(session::UserMessage& message) const {
  if (parts_->modes.mode() != permission::Mode::plan) return;
  const bool can_present = parts_->toolbox.find("ExitPlanMode") != nullptr;
  auto blocks = json::parse(message.content);
  if (!blocks || !blocks->is_array()) return;
  const auto own = parts_->client_setup.get().plan_mode_note;
  const auto note = own ? *own : session::plan_mode_note(can_present);
  if (message.original.empty()) message.original = message.content;
  blocks->push_back(
      {{"type", "text"}, {"text", fmt::format("<system-reminder>\n{}\n</system-reminder>", note)}});
  message.content = json::write(*blocks);
}

/// The model may claim success all the same.
void AgentProgram::explain_denials() const {
  if (denials_ == 0 || !parts_->prepared.settings.not_trusted) return;
  warn(setup_, fmt::format("ralph: {} denied, and the permissions of this workspace's settings did "
                           "not count, because it is not trusted ('ralph trust' trusts it)",
                           denials_ == 1 ? "a tool call was"
                                         : fmt::format("{} tool calls were", denials_)));
}

/// A title that the client gave since the last turn.
void AgentProgram::record_title() {
  if (const auto title = parts_->client_setup.take_title()) session_->record_title(*title);
}

/// Watches commands and subagents that outlive their call: when one ends, the model is told, in a new turn if need be. Called
/// from many threads.
void AgentProgram::watch_tasks() {
  const std::lock_guard lock(watch_mutex_);
  if (parts_->tasks.list().empty() || watching_.exchange(true)) return;
  parts_->inbox.hold();
  try {
    watcher_ = std::jthread([this] {
      run_guarded([this] {
        do {
          watch();
          watching_ = false;
          // A task that was added just now saw watching_ still set.
        } while (!control_.over().stop_requested() && !parts_->tasks.list().empty() &&
                 !watching_.exchange(true));
      });
      parts_->inbox.release();
    });
  } catch (const std::system_error&) {  // no thread can be started; the end of the turn tries again
    watching_ = false;
    parts_->inbox.release();
    throw;
  }
}

void AgentProgram::watch() {
  while (parts_->tasks.wait_for_finish(control_.over())) {
    announcing_ = true;  // before the tasks leave the list: see subagents_open()
    for (const auto& ended : parts_->tasks.take_finished()) announce(ended);
    announcing_ = false;
    // report() may have held a result back because of the announcement.
    if (control_.abandoned()) continue;
    if (interrupted_) {
      held_.release(HeldResults::Subagents::stopped);
    } else if (!subagents_open()) {
      held_.release(HeldResults::Subagents::done);
    }
  }
}

void AgentProgram::announce(const tool::TaskNotification& ended) {
  const bool stopped =
      ended.is_subagent() ? interrupted_.load() : ended.ended_by == tool::Ender::user;
  const bool unwanted = stopped && ended.status == tool::TaskStatus::killed;
  auto text = ended.message;
  if (text.empty()) {
    text = fmt::format(
        "<task-notification>\nTask {} has ended: {}\n{}\nIts output is in {}\n</task-notification>",
        ended.task_id, to_string(ended.status), ended.summary, ended.output_file.string());
  }
  if (unwanted) {  // before the client sees the end and sends a message
    const std::lock_guard lock(notes_mutex_);
    notes_.push_back(text);
  }
  emit(session::TaskUpdated{ended});
  emit(session::TaskEnded{ended});
  emit(session::TasksChanged{parts_->tasks.list()});
  if (unwanted) return;
  session::UserMessage message;
  message.content = session::text_content(text);
  message.notification = true;
  parts_->inbox.push(std::move(message));
}

/// An interrupt ends the subagents in the background too. The model learns of it with the next message of the user.
void AgentProgram::interrupt_subagents() {
  if (!parts_->tasks.has_subagents()) return;
  interrupted_ = true;
  parts_->tasks.end_subagents();
}

void AgentProgram::add_notes(std::vector<session::UserMessage>& messages) {
  const std::lock_guard lock(notes_mutex_);
  for (auto& text : std::exchange(notes_, {})) {
    messages.push_back({.content = session::text_content(text), .notification = true});
  }
}

void AgentProgram::report(session::TurnResult result) {
  denials_ += result.denials.size();
  if (result.local_command.empty() || parts_->ledger.cost_usd() > 0) session_->record_totals();
  held_.add(std::move(result));
  const bool open = subagents_open();
  if (control_.abandoned()) return;
  if (!open) return held_.release(HeldResults::Subagents::done);
  if (control_.over().stop_requested()) held_.release(HeldResults::Subagents::stopped);
}

/// A subagent works in the background, or the model has not been told how one ended. The order of the questions matters: a
/// task leaves the list, then its message is in the inbox.
bool AgentProgram::subagents_open() {
  if (parts_->tasks.has_subagents()) return true;
  return announcing_ || parts_->inbox.has_notification();
}

}  // namespace ralph::wire

#include <exception>
#include <new>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "agent/session/local_command.h"
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
      reporting_result_(reporting_result) {}

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
  ControlRequestHandler handler(writer_, control_, *parts_->prepared.choice, parts_->skills,
                                options_, parts_->client_prompt, parts_->servers);
  const auto on_line = [&](std::string_view line) -> Result<> {
    TRY_ASSIGN(auto input, read_input_line(line));
    if (const auto* request = std::get_if<ControlRequest>(&input)) handler.handle(*request);
    if (auto* response = std::get_if<ControlResponse>(&input)) {
      parts_->client.accept(std::move(*response));
    }
    if (auto* message = std::get_if<session::UserMessage>(&input)) receive(std::move(*message));
    return {};
  };
  const auto read = read_lines(setup_.io.in, control_.over(), on_line);
  if (!read) {
    warn(setup_, read.error().message);
    control_.abandon(1);
  }
}

/// For the body of a thread: an exception stops the agent with a message.
void AgentProgram::run_guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    warn(setup_, "ralph: out of memory; agent stopped (a limit such as ulimit -v may be too low)");
    control_.abandon(1);
  } catch (const std::exception& error) {
    warn(setup_, fmt::format("ralph: internal error: {}; agent stopped", error.what()));
    control_.abandon(1);
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
  for (;;) {
    auto messages = parts_->inbox.next(control_.over());
    if (messages.empty()) break;
    answer(std::move(messages));
    watch_tasks();
  }
  writer_.finish();
  return control_.exit_code().value_or(last_is_error_ ? 1 : 0);
}

void AgentProgram::complete(const session::MessageIds& messages) {
  for (const auto& uuid : messages)
    emit(session::MessageProgress{uuid, session::MessageState::completed});
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
  if (name == session::kClear) clear(message);
  session_->announce(result.answers);
  if (name != session::kClear) {
    result.text = session::unavailable(name);
    emit(session::LocalReply{result.text});
  }
  result.total_cost_usd = parts_->ledger.cost_usd();
  result.totals = parts_->ledger.totals();
  result.recent_totals = parts_->ledger.since_last_result();
  const auto answered = result.answers;
  report(std::move(result));
  complete(answered);
}

/// Starts a new session without history and cost. The file of the old one stays.
void AgentProgram::clear(const session::UserMessage& message) {
  emit(session::ConversationReset{message.uuid.empty() ? make_uuid() : message.uuid});
  emit(session::TasksChanged{parts_->tasks.list()});
  auto options = options_;
  options.continue_last = false;
  options.resume.reset();
  options.session_id.clear();
  auto start = open_session(setup_, options, parts_->prepared.git_branch);
  if (!start) return warn(setup_, describe(start.error()));
  parts_->change_session(*start);
  auto session = parts_->make_session(*std::move(start));
  if (!session) return warn(setup_, describe(session.error()));
  session_ = *std::move(session);
}

void AgentProgram::answer(std::vector<session::UserMessage> messages) {
  if (const auto name = local_command(messages); !name.empty()) {
    return run_local_command(messages.front(), name);
  }
  const auto stop = control_.begin_turn();
  parts_->servers.wait(stop);
  const auto compact = options_.disable_slash_commands || messages.size() != 1
                           ? std::nullopt
                           : session::compact_command(messages.front().content);
  if (!compact) {
    for (auto& message : messages) parts_->expander.expand(message, stop);
  }
  if (!session_->introduced()) {
    if (auto system = parts_->client_prompt.apply(options_)) {
      session_->set_system_prompt(*std::move(system));
    }
  }
  auto answered = compact ? session_->compact(std::move(messages.front()), *compact, stop)
                          : session_->answer(std::move(messages), stop);
  control_.end_turn();
  if (!answered) return;
  complete(answered->folded_in);
  report(std::move(answered->result));
  complete(answered->messages);
}

/// Watches commands that outlive the turn: when one ends, a new turn tells the model.
void AgentProgram::watch_tasks() {
  if (parts_->tasks.list().empty() || watching_.exchange(true)) return;
  parts_->inbox.hold();
  watcher_ = std::jthread([this] {
    run_guarded([this] {
      do {
        while (parts_->tasks.wait_for_finish(control_.over())) {
          for (const auto& ended : parts_->tasks.take_finished()) announce(ended);
        }
        watching_ = false;
        // A task that was added just now saw watching_ still set.
      } while (!control_.over().stop_requested() && !parts_->tasks.list().empty() &&
               !watching_.exchange(true));
    });
    parts_->inbox.release();
  });
}

void AgentProgram::announce(const tool::TaskNotification& ended) {
  emit(session::TaskUpdated{ended});
  emit(session::TaskEnded{ended});
  emit(session::TasksChanged{parts_->tasks.list()});
  session::UserMessage message;
  message.content = session::text_content(fmt::format(
      "<task-notification>\nTask {} has ended: {}\n{}\nIts output is in {}\n</task-notification>",
      ended.task_id, to_string(ended.status), ended.summary, ended.output_file.string()));
  message.notification = true;
  parts_->inbox.push(std::move(message));
}

void AgentProgram::report(session::TurnResult result) {
  result.index = results_++;
  last_is_error_ = result.is_error;
  if (result.local_command.empty() || parts_->ledger.cost_usd() > 0) session_->record_totals();
  // Before the client can read the result: after that it may disconnect.
  if (options_.output != settings::Format::json && parts_->inbox.is_empty() &&
      parts_->tasks.list().empty()) {
    control_.set_answered(last_is_error_ ? 1 : 0);
  }
  reporting_result_ = true;
  emit(session::TurnEnded{result});
  reporting_result_ = false;
  parts_->ledger.next_result();
}

}  // namespace ralph::wire

#include <exception>
#include <new>
#include <utility>

#include <fmt/core.h>

#include "agent/instructions/memory.h"
#include "agent/instructions/system_prompt.h"
#include "agent/session/control_request_handler.h"
#include "agent/session/local_command.h"
#include "agent/session/reader.h"
#include "agent/session/text.h"
#include "agent/session/work_impl.h"
#include "core/base/id.h"

namespace ralph::session {
/// A message with an id is told about from here on.
void Work::receive(UserMessage message) {
  if (!inbox_.accepts(message)) return;
  control_.expect_turn();
  message.alone = !options_.disable_slash_commands && slash_call(message).has_value();
  if (!message.uuid.empty()) {
    writer_.event(events_->command_lifecycle(message.uuid, "queued"));
    message.started = inbox_.claim();
    if (message.started) writer_.event(events_->command_lifecycle(message.uuid, "started"));
  }
  inbox_.push(std::move(message));
}

/// Runs beside the turns, until the end of input.
void Work::read_stream() {
  ControlRequestHandler handler(writer_, control_, *model_, skills_, options_, client_prompt_);
  const auto take = [&](std::string_view line) -> Result<> {
    TRY_ASSIGN(auto input, read_input_line(line));
    if (const auto* control = std::get_if<ControlRequest>(&input)) handler.handle(*control);
    if (auto* message = std::get_if<UserMessage>(&input)) {
      receive(std::move(*message));
    }
    return {};
  };
  const auto read = read_lines(setup_.io.in, control_.over(), take);
  if (!read) {
    say(read.error().message);
    control_.abandon(1);
  }
}

/// For the body of a thread: an exception ends the agent with a message.
void Work::or_give_up(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    say("ralph: out of memory; the agent ends (a limit such as ulimit -v may be too low)");
    control_.abandon(1);
  } catch (const std::exception& error) {
    say(fmt::format("ralph: internal error: {}; the agent ends", error.what()));
    control_.abandon(1);
  }
}

int Work::converse() {
  std::jthread reader;
  if (options_.input == settings::Format::stream_json) {
    reader = std::jthread([this] {
      or_give_up([this] { read_stream(); });
      inbox_.close();
    });
  } else {
    auto prompt = read_prompt(options_.prompt, setup_.io, control_.over());
    if (const auto code = control_.exit_code()) return *code;
    if (!prompt) return give_up(prompt.error());
    inbox_.push(*std::move(prompt));
    inbox_.close();
  }
  for (;;) {
    auto messages = inbox_.next(control_.over());
    if (messages.empty()) break;
    turn(std::move(messages));
    watch_tasks();
  }
  writer_.finish();
  return control_.exit_code().value_or(last_is_error_ ? 1 : 0);
}

void Work::complete(const MessageIds& messages) {
  for (const auto& uuid : messages) writer_.event(events_->command_lifecycle(uuid, "completed"));
}

/// What the model must know before the first message: where it is, and what always holds here.
std::vector<std::string> Work::introduction() const {
  return {instructions::surroundings(setup_.cwd, git_branch_),
          instructions::instructions_text(instructions::read_instructions(
              options_, setup_.environment, setup_.cwd, denied_files_))};
}

/// Empty: the model is asked.
std::string Work::local_command(const std::vector<UserMessage>& messages) const {
  const auto call = messages.size() == 1 ? slash_call(messages.front()) : std::nullopt;
  if (!call || options_.disable_slash_commands) return {};
  const bool own = is_local_command(call->name) && skills_.find(call->name) == nullptr;
  return own || call->name == kClear ? call->name : "";
}

/// Answers without the model.
void Work::serve_local(const UserMessage& message, const std::string& name) {
  ResultFacts facts;
  facts.local_command = name;
  if (!message.uuid.empty()) {
    facts.answers = {message.uuid};
    if (!message.started) writer_.event(events_->command_lifecycle(message.uuid, "started"));
  }
  if (name == kClear) start_over(message);
  parts_->init.model = model_->id();
  writer_.event(events_->init(parts_->init, facts.answers));
  if (name != kClear) {
    facts.text = unavailable(name);
    writer_.event(events_->local_answer(facts.text));
  }
  facts.total_cost_usd = ledger_->cost_usd();
  facts.model_usage = ledger_->model_usage();
  facts.recent_model_usage = ledger_->since_last_result();
  const auto answered = facts.answers;
  tell(std::move(facts));
  complete(answered);
}

/// A new session: nothing of what was said, none of what it cost. The old one stays in its file.
void Work::start_over(const UserMessage& message) {
  writer_.event(events_->conversation_reset(message.uuid.empty() ? make_uuid() : message.uuid));
  writer_.event(events_->tasks_changed(tasks_.list()));
  auto options = options_;
  options.continue_last = false;
  options.resume.reset();
  options.session_id.clear();
  auto opening = open(options);
  if (!opening) return say(describe(opening.error()));
  events_->change_session(opening->session_id);
  ledger_.emplace(model::Table::builtin(), std::move(opening->totals));
  converse_in(*opening);
  connect();
  introduced_ = false;
  const auto policy = context_->policy();  // a copy: emplace() destroys what policy() refers to
  context_.emplace(policy, opening->context_tokens);
  kept_ = std::move(opening->kept);
  parts_->user_id = user_id();
  parts_->api_time = Millis{0};
}

void Work::turn(std::vector<UserMessage> messages) {
  if (const auto name = local_command(messages); !name.empty()) {
    return serve_local(messages.front(), name);
  }
  const auto stop = control_.begin_turn();
  const auto command = options_.disable_slash_commands || messages.size() != 1
                           ? std::nullopt
                           : compact_command(messages.front().content);
  if (!command) {
    for (auto& message : messages) expander_->expand(message, stop);
  }
  if (!std::exchange(introduced_, true)) {
    if (auto system = client_prompt_.apply(options_)) parts_->system = *std::move(system);
    conversation_->keep_system_prompt(parts_->system);
    conversation_->introduce(introduction());
  }
  Turn turn(*parts_, std::move(messages));
  auto facts = command ? turn.run_compact(*command, stop) : turn.run(stop);
  control_.end_turn();
  if (!facts) return;
  complete(turn.folded_in());
  tell(*std::move(facts));
  complete(turn.answered());
}

/// Commands that go on behind the turn: when one ends, the model is told in a turn of its own.
void Work::watch_tasks() {
  if (tasks_.list().empty() || watching_.exchange(true)) return;
  inbox_.hold();
  watcher_ = std::jthread([this] {
    or_give_up([this] {
      do {
        while (tasks_.wait_for_finish(control_.over())) {
          for (const auto& ended : tasks_.take_finished()) announce(ended);
        }
        watching_ = false;
        // A task that came just now found us still watching.
      } while (!control_.over().stop_requested() && !tasks_.list().empty() &&
               !watching_.exchange(true));
    });
    inbox_.release();
  });
}

void Work::announce(const tool::TaskNotification& ended) {
  writer_.event(events_->task_updated(ended));
  writer_.event(events_->task_notification(ended));
  writer_.event(events_->tasks_changed(tasks_.list()));
  UserMessage message;
  message.content = text_content(fmt::format(
      "<task-notification>\nTask {} has ended: {}\n{}\nIts output is in {}\n</task-notification>",
      ended.task_id, ended.status, ended.summary, ended.output_file.string()));
  message.notification = true;
  inbox_.push(std::move(message));
}

void Work::tell(ResultFacts facts) {
  facts.index = results_++;
  last_is_error_ = facts.is_error;
  const bool costs = facts.local_command.empty() || ledger_->cost_usd() > 0;
  if (costs) conversation_->keep_totals(ledger_->totals());
  // Before the client can read it: from then on the client may go.
  if (options_.output != settings::Format::json && inbox_.is_empty() && tasks_.list().empty()) {
    control_.set_answered(last_is_error_ ? 1 : 0);
  }
  telling_ = true;
  writer_.result(events_->result(facts, true), events_->result(facts, false),
                 shown(facts, options_));
  telling_ = false;
  ledger_->next_result();
}

}  // namespace ralph::session

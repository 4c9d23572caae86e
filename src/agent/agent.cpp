#include "agent/agent.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/compaction.h"
#include "agent/control_desk.h"
#include "agent/conversation.h"
#include "agent/credential.h"
#include "agent/endpoint.h"
#include "agent/memory.h"
#include "agent/opening.h"
#include "agent/reader.h"
#include "agent/settings.h"
#include "agent/system_prompt.h"
#include "agent/text.h"
#include "agent/turn.h"
#include "api/client.h"
#include "base/id.h"
#include "base/utf8.h"
#include "git/git.h"
#include "json/writer.h"

namespace ralph::agent {
namespace {

constexpr int kInterruptedExit = 130;

void end_without_reader(const Io& io, Live& live) {
  if (live.abandoned()) return;
  io.err("ralph: nobody reads our stdout, or it cannot be written; the agent ends\n");
  live.abandon(1);
}

/// Options whose absence of effect somebody would miss.
std::vector<std::string_view> without_effect(const Options& options) {
  std::vector<std::string_view> names;
  if (!options.mcp_config.empty()) names.emplace_back("--mcp-config");
  if (!options.agents.empty()) names.emplace_back("--agents");
  if (!options.agent.empty()) names.emplace_back("--agent");
  if (!options.permission_prompt_tool.empty()) names.emplace_back("--permission-prompt-tool");
  return names;
}

/// All that lives as long as the agent works.
class Work {
 public:
  Work(const Setup& setup, Live& live)
      : setup_(setup),
        options_(setup.options),
        live_(live),
        wire_(setup.io, setup.options.output, setup.options.verbose,
              [this] { end_without_reader(setup_.io, live_); }) {}

  int run();

 private:
  void say(std::string_view line) const { setup_.io.err(std::string(line) + "\n"); }
  int give_up(const Error& error) const;
  int missing_session(const Error& error);

  Result<> prepare(Opening opening);
  Result<> prepare_parts(Opening& opening, const Login& login, const Settings& settings);
  Result<> prepare_tools(const Settings& settings);
  tool::Workspace::Setup workspace_setup(const Settings& settings);
  std::string tool_definitions() const;
  InitFacts init_facts(const Login& login) const;
  Result<UserMessage> text_prompt();
  void receive(UserMessage message);
  void read_stream();
  int converse();
  std::vector<std::string> introduction() const;
  void turn(std::vector<UserMessage> messages);
  void complete(const MessageIds& messages);
  void tell(ResultFacts facts);
  void watch_tasks();
  void announce(const tool::TaskNotification& ended);

  const Setup& setup_;
  const Options& options_;
  Live& live_;
  Wire wire_;
  std::string git_branch_;
  std::optional<EventMaker> events_;
  std::optional<ModelChoice> model_;
  std::optional<Ledger> ledger_;
  std::optional<Context> context_;
  Keepsakes kept_;
  std::optional<Conversation> conversation_;
  std::optional<api::Client> client_;
  std::optional<StructuredOutput> structured_;
  tool::BackgroundTasks tasks_;
  std::optional<tool::Workspace> workspace_;
  std::optional<Pulse> pulse_;
  std::optional<Toolbox> toolbox_;
  std::optional<TurnParts> parts_;
  Inbox inbox_;
  std::int64_t results_ = 0;
  bool last_is_error_ = false;
  bool introduced_ = false;  // the model knows where it is
  std::atomic<bool> watching_ = false;
  std::jthread watcher_;  // of the background tasks; it uses all the others
};

int Work::give_up(const Error& error) const {
  say(describe(error));
  return 1;
}

/// Clients that read the stream wait for a result.
int Work::missing_session(const Error& error) {
  say(error.message);
  if (options_.output == Format::stream_json) {
    ResultFacts facts;
    facts.subtype = "error_during_execution";
    facts.is_error = true;
    facts.errors = {error.message};
    const EventMaker events(options_.resume.value_or(make_uuid()));
    wire_.event(events.result(facts, false));
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
  auto opening =
      open_session(options_, {setup_.cwd, setup_.environment.config_folder(), git_branch_});
  if (!opening) {
    const bool missing = opening.error().code == Code::not_found;
    return missing ? missing_session(opening.error()) : give_up(opening.error());
  }
  if (const auto ready = prepare(*std::move(opening)); !ready) return give_up(ready.error());
  return converse();
}

Result<> Work::prepare(Opening opening) {
  TRY_ASSIGN(const auto settings, read_settings(options_, setup_.environment, setup_.cwd));
  TRY_ASSIGN(const auto login, find_login(setup_.environment, settings, live_.over()));
  for (const auto& note : settings.notes) say(note);
  for (const auto& note : login.notes) say(note);
  return prepare_parts(opening, login, settings);
}

Result<> Work::prepare_parts(Opening& opening, const Login& login, const Settings& settings) {
  const auto& models = model::Table::builtin();
  const auto& environment = setup_.environment;
  events_.emplace(opening.session_id);
  model_.emplace(models, options_, environment, settings.model);
  for (const auto& note : model_->notes()) say("ralph: " + note);
  ledger_.emplace(models, std::move(opening.totals));
  context_.emplace(CompactPolicy(environment, settings.auto_compact), opening.context_tokens);
  kept_ = std::move(opening.kept);
  introduced_ = opening.resumed && !opening.messages.empty();
  conversation_.emplace(std::move(opening.messages), std::move(opening.transcript),
                        [this](const Error& error) {
                          say("ralph: the session is not kept whole: " + describe(error));
                          wire_.event(events_->writes_lost(error.message));
                        });
  if (login.found()) {
    api::RetryPolicy policy;
    if (const auto most = environment.number("CLAUDE_CODE_MAX_RETRIES")) {
      policy.max_retries = static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1000));
    }
    client_.emplace(endpoint_for(environment, login, setup_.version, opening.session_id), policy);
  }
  TRY(prepare_tools(settings));
  TRY_ASSIGN(auto system, system_prompt(options_));
  if (opening.system_prompt) system = {*opening.system_prompt};
  std::string user_id;
  json::ObjectWriter(user_id).text("session_id", opening.session_id).close();
  parts_.emplace(TurnParts{options_,
                           wire_,
                           *events_,
                           *ledger_,
                           *conversation_,
                           inbox_,
                           live_,
                           *model_,
                           client_ ? &*client_ : nullptr,
                           login.credential.api_key.empty(),
                           *toolbox_,
                           tasks_,
                           structured_ ? &*structured_ : nullptr,
                           static_cast<int>(environment.number("MAX_STRUCTURED_OUTPUT_RETRIES")
                                                .value_or(StructuredOutput::kMaxFailures)),
                           init_facts(login),
                           std::move(system),
                           tool_definitions(),
                           std::move(user_id),
                           *context_,
                           kept_,
                           [this] { return introduction(); },
                           options_.loop_guard
                               ? *options_.loop_guard
                               : environment.number("RALPH_AGENT_LOOP_GUARD").value_or(0)});
  if (!options_.session_name.empty()) {
    wire_.event(events_->title_changed(options_.session_name));
    conversation_->keep_title(options_.session_name);
  }
  return {};
}

/// The tools, where they work, and what they may do.
Result<> Work::prepare_tools(const Settings& settings) {
  const auto& environment = setup_.environment;
  const auto& word =
      options_.permission_mode.empty() ? settings.default_mode : options_.permission_mode;
  TRY_ASSIGN(auto mode, tool::parse_mode(word.empty() ? "default" : word));
  if (options_.skip_permissions) mode = tool::Mode::bypass;
  if (mode == tool::Mode::bypass && setup_.is_root && !environment.on("IS_SANDBOX")) {
    return fail(
        Code::usage,
        "--dangerously-skip-permissions cannot be used with root/sudo privileges for security "
        "reasons");
  }
  auto rules = settings.rules;
  std::ranges::copy(options_.allowed_tools, std::back_inserter(rules.allow));
  std::ranges::copy(options_.disallowed_tools, std::back_inserter(rules.deny));
  auto setup = workspace_setup(settings);
  setup.unreadable = tool::unreadable_patterns(rules);
  workspace_.emplace(std::move(setup));
  toolbox_.emplace(*workspace_, options_, mode, std::move(rules));
  pulse_.emplace(setup_.pulse, wire_, *events_);
  toolbox_->watch_with(*pulse_);
  return {};
}

tool::Workspace::Setup Work::workspace_setup(const Settings& settings) {
  const auto& environment = setup_.environment;
  const auto& id = events_->session_id();
  const auto real = [](const std::filesystem::path& path) {
    std::error_code error;
    auto resolved = std::filesystem::weakly_canonical(path, error);
    return error ? path : resolved;
  };
  tool::Workspace::Setup setup;
  setup.root = real(setup_.cwd);
  for (const auto& folder : options_.add_dirs) {
    setup.directories.push_back(real(setup_.cwd / folder));
  }
  setup.output_folder =
      sessions_folder(environment.config_folder(), setup_.cwd) / id / "tool-results";
  setup.environment = {{"CLAUDECODE", "1"},
                       {"CLAUDE_CODE_ENTRYPOINT", "sdk-cli"},
                       {"CLAUDE_CODE_SESSION_ID", id},
                       {"CLAUDE_CODE_CHILD_SESSION", "1"},
                       {"CLAUDE_CODE_SESSION_ATTENDED", "0"},
                       {"CLAUDE_PID", std::to_string(::getpid())}};
  for (const auto& folder : settings.directories) {
    setup.directories.push_back(real(setup_.cwd / folder));
  }
  for (const auto& [name, value] : settings.environment) setup.environment.push_back({name, value});
  const auto* model = model::Table::builtin().find(model_->id());
  setup.read_before_write = model != nullptr && model->thinking == model::Thinking::budget;
  setup.background = !environment.on("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
  setup.tasks = &tasks_;
  setup.variables = environment.entries();
  return setup;
}

/// A JSON array; empty: there are no tools.
std::string Work::tool_definitions() const {
  auto all = toolbox_->definitions();
  if (structured_) all += (all.empty() ? "" : ",") + structured_->definition();
  return all.empty() ? "" : "[" + all + "]";
}

InitFacts Work::init_facts(const Login& login) const {
  InitFacts facts;
  facts.cwd = setup_.cwd.string();
  facts.tools = toolbox_->names();
  if (structured_) facts.tools.emplace_back(StructuredOutput::kName);
  facts.permission_mode = tool::to_string(toolbox_->mode());
  facts.key_source = login.source;
  facts.add_dirs = options_.add_dirs;
  return facts;
}

/// The words of the command line, and stdin behind them.
Result<UserMessage> Work::text_prompt() {
  auto prompt = options_.prompt;
  if (::isatty(setup_.io.in) == 0) {
    TRY_ASSIGN(const auto input, read_text(setup_.io.in, live_.over()));
    if (input.silent) {
      say("ralph: stdin is open and silent; going on without it (use < /dev/null to say so)");
    }
    if (!prompt.empty() && !input.text.empty()) prompt += '\n';
    prompt += input.text;
  }
  if (prompt.empty()) {
    return fail(Code::usage,
                "Error: Input must be provided either through stdin or as a prompt argument when "
                "using --print");
  }
  if (is_blank(prompt)) {
    return fail(Code::usage, "Error: Input contained only whitespace");
  }
  UserMessage message;
  message.content = text_content(utf8::repaired(prompt));
  return message;
}

/// A message with an id is told about from here on.
void Work::receive(UserMessage message) {
  if (!inbox_.accepts(message)) return;
  if (!message.uuid.empty()) {
    wire_.event(events_->command_lifecycle(message.uuid, "queued"));
    message.started = inbox_.idle();
    if (message.started) wire_.event(events_->command_lifecycle(message.uuid, "started"));
  }
  inbox_.push(std::move(message));
}

/// Runs beside the turns, until the end of input.
void Work::read_stream() {
  ControlDesk desk(wire_, live_, *model_);
  const auto take = [&](std::string_view line) -> Result<> {
    TRY_ASSIGN(auto input, read_input_line(line));
    if (const auto* control = std::get_if<ControlRequest>(&input)) desk.serve(*control);
    if (auto* message = std::get_if<UserMessage>(&input)) {
      receive(std::move(*message));
    }
    return {};
  };
  const auto read = read_lines(setup_.io.in, live_.over(), take);
  if (!read) {
    say(read.error().message);
    live_.abandon(1);
  }
  inbox_.close();
}

int Work::converse() {
  std::jthread reader;
  if (options_.input == Format::stream_json) {
    reader = std::jthread([this] { read_stream(); });
  } else {
    auto prompt = text_prompt();
    if (const auto code = live_.exit_code()) return *code;
    if (!prompt) return give_up(prompt.error());
    inbox_.push(*std::move(prompt));
    inbox_.close();
  }
  for (;;) {
    auto messages = inbox_.next(live_.over());
    if (messages.empty()) break;
    turn(std::move(messages));
    watch_tasks();
  }
  wire_.finish();
  return live_.exit_code().value_or(last_is_error_ ? 1 : 0);
}

void Work::complete(const MessageIds& messages) {
  for (const auto& uuid : messages) wire_.event(events_->command_lifecycle(uuid, "completed"));
}

/// What the model must know before the first message: where it is, and what always holds here.
std::vector<std::string> Work::introduction() const {
  return {surroundings(setup_.cwd, git_branch_),
          instructions_text(read_instructions(options_, setup_.environment, setup_.cwd))};
}

void Work::turn(std::vector<UserMessage> messages) {
  const auto stop = live_.begin_turn();
  if (!std::exchange(introduced_, true)) {
    conversation_->keep_system_prompt(parts_->system);
    conversation_->introduce(introduction());
  }
  const auto command = options_.disable_slash_commands || messages.size() != 1
                           ? std::nullopt
                           : compact_command(messages.front().content);
  Turn turn(*parts_, std::move(messages));
  auto facts = command ? turn.run_compact(*command, stop) : turn.run(stop);
  live_.end_turn();
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
    do {
      while (tasks_.wait_for_finish(live_.over())) {
        for (const auto& ended : tasks_.take_finished()) announce(ended);
      }
      watching_ = false;
      // A task that came just now found us still watching.
    } while (!live_.over().stop_requested() && !tasks_.list().empty() && !watching_.exchange(true));
    inbox_.release();
  });
}

void Work::announce(const tool::TaskNotification& ended) {
  wire_.event(events_->task_updated(ended));
  wire_.event(events_->task_notification(ended));
  wire_.event(events_->tasks_changed(tasks_.list()));
  UserMessage message;
  message.content = text_content(fmt::format(
      "<task-notification>\nTask {} has ended: {}\n{}\nIts output is in {}\n</task-notification>",
      ended.task_id, ended.status, ended.summary, ended.output_file.string()));
  message.notification = true;
  inbox_.push(std::move(message));
}

/// What the text format shows of a result.
std::string shown(const ResultFacts& facts, const Options& options) {
  if (facts.subtype == "success") return facts.text;
  if (facts.subtype == "error_max_turns") {
    return fmt::format("Error: Reached max turns ({})", options.max_turns.value_or(0));
  }
  if (facts.subtype == "error_max_budget_usd") {
    return fmt::format("Error: Exceeded USD budget ({})", options.max_budget_usd.value_or(0));
  }
  if (facts.subtype == "error_during_execution") return "Execution error";
  return "Error: " + (facts.errors.empty() ? facts.subtype : facts.errors.front());
}

void Work::tell(ResultFacts facts) {
  facts.index = results_++;
  last_is_error_ = facts.is_error;
  conversation_->keep_totals(ledger_->totals());
  wire_.result(events_->result(facts, true), events_->result(facts, false), shown(facts, options_));
  ledger_->next_result();
}

}  // namespace

int Agent::run() { return Work(setup_, live_).run(); }

void Agent::lose_reader() { end_without_reader(setup_.io, live_); }

void Agent::on_signal(int signal_number) {
  if (signal_number != SIGINT) return live_.abandon(128 + signal_number);
  const auto wanted = setup_.environment.number("RALPH_AGENT_SIGINT_EXIT");
  live_.finish(wanted ? static_cast<int>(*wanted) : kInterruptedExit);
}

}  // namespace ralph::agent

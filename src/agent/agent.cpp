#include "agent/agent.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/control_desk.h"
#include "agent/conversation.h"
#include "agent/credential.h"
#include "agent/endpoint.h"
#include "agent/local_command.h"
#include "agent/memory.h"
#include "agent/opening.h"
#include "agent/prompt.h"
#include "agent/reader.h"
#include "agent/settings.h"
#include "agent/skill_tool.h"
#include "agent/system_prompt.h"
#include "agent/text.h"
#include "agent/turn.h"
#include "api/client.h"
#include "base/id.h"
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
  Result<> prepare_parts(Opening& opening, const Settings& settings);
  Result<Opening> open(const Options& options) const;
  void converse_in(Opening& opening);
  void connect();
  std::string user_id() const;
  Result<> prepare_tools(const Settings& settings);
  bool offers_skills() const;
  tool::Workspace::Setup workspace_setup(const Settings& settings);
  std::string tool_definitions() const;
  InitFacts init_facts() const;
  void receive(UserMessage message);
  void read_stream();
  int converse();
  void introduce();
  void turn(std::vector<UserMessage> messages);
  std::string local_command(const std::vector<UserMessage>& messages) const;
  void serve_local(const UserMessage& message, const std::string& name);
  void start_over(const UserMessage& message);
  void complete(const MessageIds& messages);
  void tell(ResultFacts facts);
  void watch_tasks();
  void announce(const tool::TaskNotification& ended);

  const Setup& setup_;
  const Options& options_;
  Live& live_;
  Wire wire_;
  std::string git_branch_;
  Login login_;
  std::optional<EventMaker> events_;
  std::optional<ModelChoice> model_;
  std::optional<Ledger> ledger_;
  std::optional<Conversation> conversation_;
  std::optional<api::Client> client_;
  std::optional<StructuredOutput> structured_;
  tool::BackgroundTasks tasks_;
  std::optional<tool::Workspace> workspace_;
  Skills skills_;
  std::optional<SkillTool> skill_tool_;
  std::optional<Toolbox> toolbox_;
  std::optional<Prompts> prompts_;
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
  auto opening = open(options_);
  if (!opening) {
    const bool missing = opening.error().code == Code::not_found;
    return missing ? missing_session(opening.error()) : give_up(opening.error());
  }
  if (const auto ready = prepare(*std::move(opening)); !ready) return give_up(ready.error());
  return converse();
}

Result<Opening> Work::open(const Options& options) const {
  return open_session(options, {setup_.cwd, setup_.environment.config_folder(), git_branch_});
}

Result<> Work::prepare(Opening opening) {
  TRY_ASSIGN(const auto settings, read_settings(options_, setup_.environment, setup_.cwd));
  TRY_ASSIGN(login_, find_login(setup_.environment, settings, live_.over()));
  for (const auto& note : settings.notes) say(note);
  for (const auto& note : login_.notes) say(note);
  return prepare_parts(opening, settings);
}

Result<> Work::prepare_parts(Opening& opening, const Settings& settings) {
  const auto& models = model::Table::builtin();
  const auto& environment = setup_.environment;
  events_.emplace(opening.session_id);
  model_.emplace(models, options_, environment, settings.model);
  for (const auto& note : model_->notes()) say("ralph: " + note);
  ledger_.emplace(models, std::move(opening.totals));
  introduced_ = opening.resumed && !opening.messages.empty();
  converse_in(opening);
  connect();
  TRY(prepare_tools(settings));
  TRY_ASSIGN(auto system, system_prompt(options_));
  if (opening.system_prompt) system = {*opening.system_prompt};
  parts_.emplace(TurnParts{options_, wire_, *events_, *ledger_, *conversation_, inbox_, live_,
                           *model_, client_ ? &*client_ : nullptr,
                           login_.credential.api_key.empty(), *toolbox_, tasks_,
                           structured_ ? &*structured_ : nullptr,
                           static_cast<int>(environment.number("MAX_STRUCTURED_OUTPUT_RETRIES")
                                                .value_or(StructuredOutput::kMaxFailures)),
                           init_facts(), std::move(system), tool_definitions(), user_id()});
  if (!options_.session_name.empty()) {
    wire_.event(events_->title_changed(options_.session_name));
    conversation_->keep_title(options_.session_name);
  }
  return {};
}

/// What is said from here on belongs to this session.
void Work::converse_in(Opening& opening) {
  conversation_.emplace(std::move(opening.messages), std::move(opening.transcript),
                        [this](const Error& error) {
                          say("ralph: the session is not kept whole: " + describe(error));
                          wire_.event(events_->writes_lost(error.message));
                        });
}

void Work::connect() {
  const auto& environment = setup_.environment;
  if (!login_.found()) return;
  api::RetryPolicy policy;
  if (const auto most = environment.number("CLAUDE_CODE_MAX_RETRIES")) {
    policy.max_retries = static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1000));
  }
  client_.emplace(endpoint_for(environment, login_, setup_.version, events_->session_id()), policy);
}

std::string Work::user_id() const {
  std::string id;
  json::ObjectWriter(id).text("session_id", events_->session_id()).close();
  return id;
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
  skills_ = Skills::find(options_, environment, setup_.cwd);
  skill_tool_.emplace(skills_);
  std::vector<const tool::Tool*> more;
  if (offers_skills()) more.push_back(&*skill_tool_);
  toolbox_.emplace(*workspace_, options_, mode, std::move(rules), more);
  prompts_.emplace(options_, skills_, *toolbox_, *workspace_);
  return {};
}

/// Where there are none, only who asks for the tool gets it.
bool Work::offers_skills() const {
  const bool asked =
      options_.tools && std::ranges::find(*options_.tools, "Skill") != options_.tools->end();
  return !options_.disable_slash_commands && (asked || !skills_.empty());
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

InitFacts Work::init_facts() const {
  InitFacts facts;
  facts.cwd = setup_.cwd.string();
  facts.tools = toolbox_->names();
  if (structured_) facts.tools.emplace_back(StructuredOutput::kName);
  facts.permission_mode = tool::to_string(toolbox_->mode());
  facts.key_source = login_.source;
  facts.add_dirs = options_.add_dirs;
  for (const auto& [name, skill] : skills_.all()) {
    facts.slash_commands.push_back(name);
    if (skill.kind != Skill::Kind::command) facts.skills.push_back(name);
  }
  if (!options_.disable_slash_commands) facts.slash_commands.emplace_back(kClear);
  return facts;
}

/// A message with an id is told about from here on.
void Work::receive(UserMessage message) {
  if (!inbox_.accepts(message)) return;
  message.alone = !options_.disable_slash_commands && slash_call(message).has_value();
  if (!message.uuid.empty()) {
    wire_.event(events_->command_lifecycle(message.uuid, "queued"));
    message.started = inbox_.idle();
    if (message.started) wire_.event(events_->command_lifecycle(message.uuid, "started"));
  }
  inbox_.push(std::move(message));
}

/// Runs beside the turns, until the end of input.
void Work::read_stream() {
  ControlDesk desk(wire_, live_, *model_, skills_);
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
    auto prompt = read_prompt(options_.prompt, setup_.io, live_.over());
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
void Work::introduce() {
  const auto tell = [&](const std::string& text) {
    if (!text.empty()) conversation_->add_user(text_content(text), make_uuid(), "\"isMeta\":true");
  };
  tell(surroundings(setup_.cwd, git_branch_));
  tell(instructions_text(read_instructions(options_, setup_.environment, setup_.cwd)));
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
    if (!message.started) wire_.event(events_->command_lifecycle(message.uuid, "started"));
  }
  if (name == kClear) start_over(message);
  parts_->init.model = model_->id();
  wire_.event(events_->init(parts_->init, facts.answers));
  if (name != kClear) {
    facts.text = unavailable(name);
    wire_.event(events_->local_answer(facts.text));
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
  wire_.event(events_->conversation_reset(message.uuid.empty() ? make_uuid() : message.uuid));
  wire_.event(events_->tasks_changed(tasks_.list()));
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
  parts_->user_id = user_id();
  parts_->api_time = Millis{0};
}

void Work::turn(std::vector<UserMessage> messages) {
  if (const auto name = local_command(messages); !name.empty()) {
    return serve_local(messages.front(), name);
  }
  const auto stop = live_.begin_turn();
  for (auto& message : messages) prompts_->expand(message, stop);
  if (!std::exchange(introduced_, true)) {
    conversation_->keep_system_prompt(parts_->system);
    introduce();
  }
  Turn turn(*parts_, std::move(messages));
  auto facts = turn.run(stop);
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

void Work::tell(ResultFacts facts) {
  facts.index = results_++;
  last_is_error_ = facts.is_error;
  if (facts.local_command.empty()) conversation_->keep_totals(ledger_->totals());
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

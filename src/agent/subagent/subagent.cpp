#include "agent/subagent/subagent.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "agent/permission/rule.h"
#include "agent/session/json_text.h"
#include "agent/session/transcript.h"
#include "agent/settings/claude_version.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/json/writer.h"
#include "core/model/model.h"

namespace ralph::subagent {
namespace {

/// A subagent starts no subagents, leaves the background work of others alone, asks the user nothing, and does not change
/// the permission mode, which is the session's.
constexpr std::array<std::string_view, 5> kNotForSubagents{"Agent", "TaskStop", "AskUserQuestion",
                                                           "EnterPlanMode", "ExitPlanMode"};

constexpr std::string_view kTaskNote =
    "\n\nYou are a subagent: another agent gave you this task and waits for your report. You "
    "cannot "
    "ask anyone. Your last message is the report, and the only thing the other agent sees of your "
    "work: say what you found or did, with absolute paths, and what remains open. Work in the "
    "background is not possible.";

settings::Options options_for(const Host& host, const Task& task) {
  auto options = instructions::options_of(host.options, task.agent);
  for (const auto tool : kNotForSubagents) options.disallowed_tools.emplace_back(tool);
  return options;
}

tool::Workspace::Setup workspace_for(const Host& host) {
  auto setup = host.workspace.setup();
  setup.background = false;
  setup.shared = true;
  return setup;
}

/// The caller's, the agent's, or that of the environment, which wins.
std::string model_for(const Host& host, const Task& task) {
  if (auto forced = host.environment.get("CLAUDE_CODE_SUBAGENT_MODEL"); !forced.empty()) {
    return forced;
  }
  auto model = task.model.empty() ? task.agent.model : task.model;
  return model.empty() || model == "inherit" ? host.choice.id() : model;
}

std::string failure_text(const session::TurnResult& result) {
  if (!result.errors.empty()) return result.errors.front();
  return result.text.empty() ? "it ended without an answer" : result.text;
}

}  // namespace

std::vector<const tool::Tool*> ListedTools::tools(const std::stop_token& stop) {
  auto tools = source_ == nullptr ? std::vector<const tool::Tool*>() : source_->tools(stop);
  if (!names_) return tools;
  std::erase_if(tools, [&](const auto* tool) {
    return std::ranges::none_of(*names_, [&](const std::string& name) {
      return permission::names_tool(permission::parse_rule(name), tool->name());
    });
  });
  return tools;
}

Result<std::unique_ptr<Subagent>> Subagent::create(const Host& host, Task task) {
  std::unique_ptr<Subagent> made(new Subagent(host, std::move(task)));
  TRY(made->open());
  return made;
}

Subagent::Subagent(const Host& host, Task task)
    : host_(host),
      task_(std::move(task)),
      facts_{.task_id = task_.id,
             .tool_use_id = task_.call_id,
             .description = task_.description,
             .output_file = {},
             .agent_type = task_.agent.name,
             .prompt = task_.prompt,
             .in_background = task_.in_background},
      options_(options_for(host, task_)),
      identity_(host.identity.session_id(), task_.call_id,
                {facts_.task_id, task_.agent.name, task_.description}),
      choice_(model::Table::builtin(), options_, host.environment, ""),
      model_(host.make_model(facts_.task_id)),
      workspace_(workspace_for(host)),
      gate_(host.policy, workspace_, host.hooks, host.approver,
            {facts_.task_id, task_.agent.name, task_.agent.mode}),
      events_(host.sink, host.identity, facts_, model_,
              task_.in_background || (host.shows_texts && host.shows_texts())),
      heartbeats_(host.heartbeats, session::SessionEvents(events_, identity_)),
      more_(host.tool_source, task_.agent.tools),
      toolbox_({.workspace = workspace_,
                .options = options_,
                .gate = gate_,
                .more = host.more_tools,
                .source = &more_,
                .heartbeats = &heartbeats_}) {
  choice_.choose(model_for(host, task_));
  workspace_.change_to(host.workspace.cwd());
}

/// Its transcript is beside the parent's.
Result<> Subagent::open() {
  session::SessionStart start;
  start.session_id = identity_.session_id();
  if (host_.options.persist) {
    const auto& place = host_.place;
    const auto folder = session::subagents_folder(place.config_folder, place.cwd, start.session_id);
    facts_.output_file = folder / fmt::format("agent-{}.jsonl", facts_.task_id);
    const session::Stamp stamp{.session_id = start.session_id,
                               .cwd = place.cwd.string(),
                               .version = std::string(settings::kClaudeVersion),
                               .git_branch = place.git_branch,
                               .permission_mode = std::string(to_string(host_.policy.mode())),
                               .agent_id = facts_.task_id};
    start.transcript.emplace(facts_.output_file, stamp, "");
    std::string about;
    json::ObjectWriter(about)
        .text("agentType", task_.agent.name)
        .text("description", task_.description)
        .text("toolUseId", task_.call_id)
        .close();
    auto meta = facts_.output_file;
    if (make_folders(folder, 0700)) {
      // For people who look for a transcript; nothing depends on it.
      std::ignore = write_file_atomically(meta.replace_extension(".meta.json"), about);
    }
  }
  const session::SessionLinks links{.identity = identity_,
                                    .model = model_,
                                    .tools = toolbox_,
                                    .sink = events_,
                                    .choice = choice_,
                                    .inbox = inbox_,
                                    .control = host_.control,
                                    .ledger = host_.ledger,
                                    .hooks = host_.hooks};
  TRY_ASSIGN(session_, session::Session::create(config(), links, std::move(start)));
  return {};
}

session::SessionConfig Subagent::config() const {
  auto config = host_.config();
  config.system = {task_.agent.prompt + std::string(kTaskNote)};
  config.structured = nullptr;
  config.partial_messages = false;
  config.replay_user_messages = false;
  config.limits.max_turns = task_.agent.max_turns;
  return config;
}

/// Of a task in the background, the event of its start has it.
void Subagent::show_prompt() {
  if (task_.in_background) return;
  session::UserExtras extras;
  extras.uuid = make_uuid();
  const auto content = session::text_content(task_.prompt);
  host_.sink.emit(identity_, session::UserInput{content, extras});
}

Report Subagent::run(const std::stop_token& stop) {
  show_prompt();
  std::vector<session::UserMessage> messages{{.content = session::text_content(task_.prompt)}};
  for (const auto& text : task_.contexts) {
    messages.push_back({.content = session::text_content(text), .notification = true});
  }
  return report_of(session_->answer(std::move(messages), stop), stop);
}

Report Subagent::report_of(std::optional<session::TurnReport> turn,
                           const std::stop_token& stop) const {
  auto answered = model_.answered();
  Report report{.text = std::move(answered.last_text),
                .model = choice_.id(),
                .tools_used = std::move(answered.tools),
                .last_usage = answered.last_usage,
                .usage = {tokens_of(answered.last_usage), answered.tool_uses, events_.elapsed()}};
  if (!turn || stop.stop_requested()) {
    report.status = tool::TaskStatus::killed;
    report.text = "The subagent was stopped before its task was done.";
    return report;
  }
  const auto& result = turn->result;
  if (!result.is_error && result.subtype == session::ResultSubtype::success) {
    report.text = result.text;
    return report;
  }
  auto text = "The subagent failed: " + failure_text(result);
  if (!report.text.empty()) text += "\nIts last text was:\n" + report.text;
  report.status = tool::TaskStatus::failed;
  report.text = std::move(text);
  return report;
}

}  // namespace ralph::subagent

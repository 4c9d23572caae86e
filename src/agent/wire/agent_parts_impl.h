#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/instructions/client_prompt.h"
#include "agent/instructions/skills.h"
#include "agent/permission/policy.h"
#include "agent/session/call_gate.h"
#include "agent/session/mode_switch.h"
#include "agent/session/plan_tools.h"
#include "agent/session/prompt_expander.h"
#include "agent/session/session.h"
#include "agent/session/skill_tool.h"
#include "agent/session/todo_tools.h"
#include "agent/session/toolbox.h"
#include "agent/subagent/agent_tool.h"
#include "agent/subagent/subagent.h"
#include "agent/subagent/subagents.h"
#include "agent/web/web_fetch.h"
#include "agent/web/web_search.h"
#include "agent/wire/agent.h"
#include "agent/wire/api_model.h"
#include "agent/wire/claude_events.h"
#include "agent/wire/client_approver.h"
#include "agent/wire/client_callbacks.h"
#include "agent/wire/client_setup.h"
#include "agent/wire/hook_reporter.h"
#include "agent/wire/mcp_tools.h"
#include "agent/wire/prepared_impl.h"
#include "agent/wire/session_meter.h"
#include "agent/wire/tool_approver.h"

namespace ralph::wire {

Result<session::SessionStart> open_session(const Setup& setup, const settings::Options& options,
                                           const std::string& git_branch);

/// The parts of an agent. Later members refer to earlier ones.
class AgentParts {
 public:
  /// Completes `prepared`; prints notes to stderr.
  static Result<std::unique_ptr<AgentParts>> create(const Setup& setup,
                                                    session::TurnControl& control,
                                                    EventWriter& writer, Prepared prepared,
                                                    const session::SessionStart& start);

  /// A session of these parts. `start` is of the current identity.
  Result<std::unique_ptr<session::Session>> make_session(session::SessionStart start);
  ~AgentParts() { tasks.end_all(); }  // subagents use the other parts
  AgentParts(const AgentParts&) = delete;
  AgentParts& operator=(const AgentParts&) = delete;

  /// Switches all parts to another session.
  void change_session(const session::SessionStart& start);

  const Setup& setup;
  session::TurnControl& control;
  Prepared prepared;
  SteadyTime began = std::chrono::steady_clock::now();
  ClaudeEvents sink;
  SessionMeter meter;
  session::Identity identity;
  session::Ledger ledger;
  ApiModel model;
  permission::Policy policy;
  session::ModeSwitch modes;
  tool::BackgroundTasks tasks;
  tool::Workspace workspace;
  settings::DeniedFiles denied_files;
  instructions::Skills skills;
  session::SkillTool skill_tool;
  session::QuestionTool question_tool;
  session::EnterPlanTool enter_plan_tool;
  session::ExitPlanTool exit_plan_tool;
  session::TodoTools todo_tools;
  web::WebFetch web_fetch_tool;
  web::WebSearch web_search_tool;
  session::HeartbeatReporter heartbeats;
  ClientRequests client;
  ClientApprover client_approver;
  McpLink mcp_link;
  mcp::Servers servers;
  McpTools mcp_tools;
  subagent::ListedTools listed_tools;  // of mcp_tools: those of --agent
  ToolApprover tool_approver;
  ClientCallbacks client_callbacks;
  HookReporter hook_reporter;
  hook::ConfiguredHooks hooks;
  session::CallGate gate;
  subagent::Subagents subagents;
  subagent::AgentTool agent_tool;
  session::Toolbox toolbox;
  session::PromptExpander expander;
  session::Inbox inbox;
  instructions::ClientPrompt client_prompt;
  ClientSetupStore client_setup;

 private:
  AgentParts(const Setup& setup, session::TurnControl& control, EventWriter& writer,
             Prepared prepared, const session::SessionStart& start);
  session::SessionConfig session_config() const;
  session::InitFacts init_facts() const;
  Connection connection() const;
  web::SideModel side_model();
  hook::ConfiguredHooksParts hook_parts();
  FixedTokens fixed_tokens() const;
  bool may_be_allowed(std::string_view tool) const;
  /// Whether someone can be asked for permission.
  bool can_ask() const;
  std::vector<const tool::Tool*> session_tools() const;
  std::vector<const tool::Tool*> main_tools() const;
  subagent::Host host();
  session::Approver* approver();
};

}  // namespace ralph::wire

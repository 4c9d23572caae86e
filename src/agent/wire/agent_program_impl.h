#pragma once
// Private to this module's .cpp files.
#include <atomic>
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
#include "agent/session/prompt_expander.h"
#include "agent/session/session.h"
#include "agent/session/skill_tool.h"
#include "agent/session/toolbox.h"
#include "agent/settings/credential.h"
#include "agent/settings/settings.h"
#include "agent/wire/agent.h"
#include "agent/wire/api_model.h"
#include "agent/wire/claude_events.h"

namespace ralph::wire {

/// A line for stderr.
void warn(const Setup& setup, std::string_view line);
Result<session::Opening> open_session(const Setup& setup, const settings::Options& options,
                                      const std::string& git_branch);

/// The parts of an agent whose making can fail.
struct Prepared {
  std::optional<session::StructuredOutput> structured;
  std::string git_branch;
  settings::Settings settings;
  settings::Login login;
  std::unique_ptr<settings::ModelChoice> choice;
  permission::Mode mode = permission::Mode::standard;
  permission::Rules rules;
  std::vector<std::string> system;
};

/// One run of the agent: reads messages, has the session answer them, and writes results.
class AgentProgram {
 public:
  static Result<std::unique_ptr<AgentProgram>> create(const Setup& setup,
                                                      session::TurnControl& control,
                                                      EventWriter& writer,
                                                      std::atomic<bool>& reporting_result,
                                                      Prepared prepared, session::Opening opening);
  int run();

 private:
  AgentProgram(const Setup& setup, session::TurnControl& control, EventWriter& writer,
               std::atomic<bool>& reporting_result, Prepared prepared,
               const session::Opening& opening);
  Result<> start_session(session::Opening opening);
  session::SessionConfig session_config() const;
  session::InitFacts init_facts() const;
  Connection connection() const;
  std::vector<const tool::Tool*> session_tools() const;

  void receive(session::UserMessage message);
  void read_stream();
  void or_give_up(const std::function<void()>& work);
  void answer(std::vector<session::UserMessage> messages);
  std::string local_command(const std::vector<session::UserMessage>& messages) const;
  void run_local_command(const session::UserMessage& message, const std::string& name);
  void clear(const session::UserMessage& message);
  void emit(const session::Event& event) { sink_.emit(identity_, event); }
  void complete(const session::MessageIds& messages);
  void report(session::TurnResult result);
  void watch_tasks();
  void announce(const tool::TaskNotification& ended);

  const Setup& setup_;
  const settings::Options& options_;
  session::TurnControl& control_;
  EventWriter& writer_;
  std::atomic<bool>& reporting_result_;
  Prepared prepared_;
  ClaudeEvents sink_;
  session::Identity identity_;
  session::Ledger ledger_;
  ApiModel model_;
  permission::Policy policy_;
  tool::BackgroundTasks tasks_;
  tool::Workspace workspace_;
  settings::DeniedFiles denied_files_;
  instructions::Skills skills_;
  session::SkillTool skill_tool_;
  session::HeartbeatReporter heartbeats_;
  session::Toolbox toolbox_;
  session::PromptExpander expander_;
  session::Inbox inbox_;
  instructions::ClientPrompt client_prompt_;
  std::unique_ptr<session::Session> session_;
  std::int64_t results_ = 0;
  bool last_is_error_ = false;
  std::atomic<bool> watching_ = false;
  std::jthread watcher_;  // of the background tasks; it uses all the others
};

}  // namespace ralph::wire

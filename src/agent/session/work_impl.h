#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/api/client.h"
#include "agent/instructions/client_prompt.h"
#include "agent/session/agent.h"
#include "agent/session/compaction.h"
#include "agent/session/conversation.h"
#include "agent/session/opening.h"
#include "agent/session/prompt_expander.h"
#include "agent/session/skill_tool.h"
#include "agent/session/turn.h"
#include "agent/settings/credential.h"
#include "agent/settings/settings.h"

namespace ralph::session {

/// Nobody takes what we say: there is no use in going on.
void end_without_reader(const Io& io, TurnControl& live);

/// All that lives as long as the agent works.
class Work {
 public:
  Work(const Setup& setup, TurnControl& live)
      : setup_(setup),
        options_(setup.options),
        control_(live),
        writer_(setup.io, setup.options.output, setup.options.verbose, [this] {
          if (telling_) control_.expect_turn();  // the result did not reach anybody
          end_without_reader(setup_.io, control_);
        }) {}

  int run();

 private:
  void say(std::string_view line) const { setup_.io.err(std::string(line) + "\n"); }
  int give_up(const Error& error) const;
  int give_up_with_result(const Error& error);

  Result<> prepare(Opening opening);
  Result<> prepare_parts(Opening& opening, const settings::Settings& settings);
  Result<Opening> open(const settings::Options& options) const;
  void converse_in(Opening& opening);
  void connect();
  std::string user_id() const;
  Result<> prepare_tools(const settings::Settings& settings);
  bool offers_skills() const;
  tool::Workspace::Setup workspace_setup(const settings::Settings& settings);
  std::string tool_definitions() const;
  InitFacts init_facts() const;
  void receive(UserMessage message);
  void read_stream();
  void or_give_up(const std::function<void()>& work);
  int converse();
  std::vector<std::string> introduction() const;
  void turn(std::vector<UserMessage> messages);
  std::string local_command(const std::vector<UserMessage>& messages) const;
  void serve_local(const UserMessage& message, const std::string& name);
  void start_over(const UserMessage& message);
  void complete(const MessageIds& messages);
  void tell(ResultFacts facts);
  void watch_tasks();
  void announce(const tool::TaskNotification& ended);

  const Setup& setup_;
  const settings::Options& options_;
  TurnControl& control_;
  EventWriter writer_;
  std::string git_branch_;
  settings::Login login_;
  std::optional<EventMaker> events_;
  std::optional<settings::ModelChoice> model_;
  std::optional<Ledger> ledger_;
  std::optional<Context> context_;
  PreservedContext kept_;
  std::optional<Conversation> conversation_;
  std::optional<api::Client> client_;
  std::optional<StructuredOutput> structured_;
  tool::BackgroundTasks tasks_;
  std::optional<tool::Workspace> workspace_;
  settings::DeniedFiles denied_files_;
  instructions::Skills skills_;
  std::optional<SkillTool> skill_tool_;
  std::optional<HeartbeatReporter> heartbeats_;
  std::optional<Toolbox> toolbox_;
  std::optional<PromptExpander> expander_;
  std::optional<TurnParts> parts_;
  Inbox inbox_;
  instructions::ClientPrompt client_prompt_;
  std::int64_t results_ = 0;
  bool last_is_error_ = false;
  bool introduced_ = false;  // the model knows where it is
  std::atomic<bool> watching_ = false;
  std::atomic<bool> telling_ = false;  // a result is being written
  std::jthread watcher_;               // of the background tasks; it uses all the others
};

}  // namespace ralph::session

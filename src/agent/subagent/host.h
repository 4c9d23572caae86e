#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/hooks.h"
#include "agent/permission/policy.h"
#include "agent/session/approver.h"
#include "agent/session/session.h"
#include "agent/session/toolbox.h"
#include "agent/settings/model_choice.h"

namespace ralph::subagent {

/// What a session lends to its subagents: all of it outlives them. They share its permissions, its hooks, its budget and its
/// client; conversation, working directory, tools and model are their own.
struct Host {
  const settings::Options& options;
  const settings::Environment& environment;
  session::SessionPlace place;
  const session::Identity& identity;
  session::EventSink& sink;
  session::TurnControl& control;
  session::Ledger& ledger;
  const settings::ModelChoice& choice;
  const permission::Policy& policy;
  const tool::Workspace& workspace;
  tool::BackgroundTasks& tasks;
  hook::Hooks& hooks;
  session::Approver* approver = nullptr;  // nullptr: nobody can be asked
  session::HeartbeatTimes heartbeats = {};
  std::vector<const tool::Tool*> more_tools = {};  // in addition to the built-in ones
  session::ToolSource* tool_source = nullptr;
  /// A connection of its own for one subagent.
  std::function<std::unique_ptr<session::Model>(std::string_view agent_id)> make_model = {};
  /// Are the texts of subagents that a call waits for shown? Never if empty.
  std::function<bool()> shows_texts = {};
  /// How the session works, for a subagent to start from.
  std::function<session::SessionConfig()> config = {};
};

}  // namespace ralph::subagent

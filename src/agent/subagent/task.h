#pragma once
#include <string>

#include "agent/api/usage.h"
#include "agent/instructions/agent_definitions.h"
#include "agent/tool/background.h"

namespace ralph::subagent {

/// What a subagent is asked to do.
struct Task {
  instructions::AgentDefinition agent;
  std::string description;
  std::string prompt;
  std::string model = {};    // alias or id; empty: the agent's
  std::string call_id = {};  // of the parent's call
  std::string id = {};       // of the subagent
  bool in_background = false;
  std::vector<std::string> contexts = {};  // texts of hooks, for the subagent
};

/// What became of it.
struct Report {
  tool::TaskStatus status = tool::TaskStatus::completed;
  std::string text;   // its last text, or why it failed
  std::string model;  // its id
  std::vector<std::string> tools_used = {};
  api::Usage last_usage = {};  // of its last request
  tool::TaskUsage usage = {};
};

}  // namespace ralph::subagent

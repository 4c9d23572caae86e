#pragma once
#include <deque>
#include <mutex>
#include <string>

#include "agent/instructions/agent_definitions.h"
#include "agent/subagent/subagents.h"
#include "agent/tool/tool.h"

namespace ralph::subagent {

/// The tool that gives a task to a subagent. Its description lists the agents.
class AgentTool final : public tool::Tool {
 public:
  /// Both outlive it.
  AgentTool(const instructions::AgentDefinitions& agents, Subagents& subagents);

  std::string_view name() const override { return "Agent"; }
  /// Agents that were added since are in it; earlier texts stay valid.
  std::string_view description() const override;
  std::string_view schema() const override { return schema_; }
  bool is_parallel(const json::Document&) const override { return true; }
  permission::Access access(const json::Document& input, const tool::Workspace&) const override;
  tool::Outcome run(const json::Document& input, const permission::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  bool background_possible() const;

  const instructions::AgentDefinitions& agents_;
  Subagents& subagents_;
  std::string schema_;
  mutable std::mutex mutex_;
  mutable std::deque<std::string> texts_;
};

}  // namespace ralph::subagent

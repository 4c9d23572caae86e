#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"
#include "agent/wire/client_approver.h"

namespace ralph::wire {

/// Asks a tool of an MCP server (`--permission-prompt-tool mcp__server__tool`), whose result is an approval as JSON text.
class ToolApprover final : public session::Approver {
 public:
  /// nullptr: there is no such tool now.
  using Find = std::function<const tool::Tool*(std::string_view name)>;
  ToolApprover(std::string name, Find find, AnswerTargets targets, tool::Workspace& workspace)
      : name_(std::move(name)), find_(std::move(find)), targets_(targets), workspace_(workspace) {}

  Result<session::Approval> ask(const session::ApprovalRequest& request,
                                const std::stop_token& stop) override;

 private:
  std::string name_;
  Find find_;
  AnswerTargets targets_;
  tool::Workspace& workspace_;
};

}  // namespace ralph::wire

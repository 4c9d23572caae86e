#pragma once
#include <string>

#include "agent/mcp/servers.h"
#include "agent/permission/policy.h"
#include "agent/session/approver.h"

namespace ralph::wire {

/// Asks a tool of an MCP server (--permission-prompt-tool), which answers like a client.
class McpApprover final : public session::Approver {
 public:
  McpApprover(const mcp::Servers& servers, std::string tool, tool::Workspace& workspace,
              permission::Policy& policy)
      : servers_(servers), tool_(std::move(tool)), workspace_(workspace), policy_(policy) {}

  Result<session::Approval> ask(const session::ApprovalRequest& request,
                                const std::stop_token& stop) override;

 private:
  const mcp::Servers& servers_;
  std::string tool_;
  tool::Workspace& workspace_;
  permission::Policy& policy_;
};

}  // namespace ralph::wire

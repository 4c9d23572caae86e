#pragma once
#include "agent/permission/policy.h"
#include "agent/session/approver.h"
#include "agent/wire/client_requests.h"

namespace ralph::wire {

/// Asks the client (`can_use_tool`). Rules and modes of its answer apply to the session at once.
class ClientApprover final : public session::Approver {
 public:
  ClientApprover(ClientRequests& client, permission::Policy& policy)
      : client_(client), policy_(policy) {}

  Result<session::Approval> ask(const session::ApprovalRequest& request,
                                const std::stop_token& stop) override;

 private:
  ClientRequests& client_;
  permission::Policy& policy_;
};

/// The answer of a client or of a prompt tool: `behavior`, `updatedInput`, `updatedPermissions`, `message`, `interrupt`.
Result<session::Approval> read_approval(const json::Document& answer, permission::Policy& policy);

}  // namespace ralph::wire

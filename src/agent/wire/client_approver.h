#pragma once
#include "agent/session/approver.h"
#include "agent/session/mode_switch.h"
#include "agent/tool/workspace.h"
#include "agent/wire/client_requests.h"

namespace ralph::wire {

/// Where the rules and modes of an answer apply.
struct AnswerTargets {
  permission::Policy& policy;
  session::ModeSwitch& modes;
};

/// Asks the client (`can_use_tool`). Rules and modes of its answer apply to the session at once.
class ClientApprover final : public session::Approver {
 public:
  ClientApprover(ClientRequests& client, AnswerTargets targets, const tool::Workspace& workspace)
      : client_(client), targets_(targets), workspace_(workspace) {}

  Result<session::Approval> ask(const session::ApprovalRequest& request,
                                const std::stop_token& stop) override;

 private:
  json::Document body(const session::ApprovalRequest& request) const;

  ClientRequests& client_;
  AnswerTargets targets_;
  const tool::Workspace& workspace_;
};

/// The answer of a client or of a prompt tool: `behavior`, `updatedInput`, `updatedPermissions`, `message`, `interrupt`.
Result<session::Approval> read_approval(const json::Document& answer, const AnswerTargets& targets);

}  // namespace ralph::wire

#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/api/reply.h"
#include "agent/permission/access.h"
#include "agent/permission/decide.h"
#include "core/base/result.h"
#include "core/json/document_value.h"

namespace ralph::session {

/// A call that no rule allows and no rule forbids.
struct ApprovalRequest {
  const api::Block& call;
  const json::Document& input;
  const permission::Access& access;
  const permission::Decision& decision;  // why it needs approval
  std::string_view agent_id = {};        // of the subagent that makes it; empty: none
};

struct Approval {
  bool allowed = false;
  bool always = false;                       // a rule for such calls was added
  std::optional<json::Document> input = {};  // replaces the input of the call
  std::string message = {};                  // of a denial, for the model
  bool interrupt = false;                    // the turn must end
};

/// Whoever can allow a call: the client, or the tool of an MCP server. Thread-safe.
class Approver {
 public:
  virtual ~Approver() = default;
  /// Waits for the answer; there is no time limit. An error: there is none.
  virtual Result<Approval> ask(const ApprovalRequest& request, const std::stop_token& stop) = 0;
};

}  // namespace ralph::session

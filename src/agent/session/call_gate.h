#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/hook/hooks.h"
#include "agent/permission/policy.h"
#include "agent/session/approver.h"
#include "agent/session/collaborators.h"
#include "agent/tool/tool.h"
#include "core/json/document_value.h"

namespace ralph::session {

/// Whether a call may run, and with what.
struct CallVerdict {
  json::Document input;
  permission::Access access;
  permission::Decision decision;
  CallDecision shown;
  std::vector<std::string> contexts = {};  // texts of hooks for the model
  bool interrupt = false;                  // the user wants the turn to end
  std::optional<std::string> stop = {};    // a hook wants the turn to end; why
};

/// The subagent that makes calls; empty: none does.
struct Caller {
  std::string agent_id = {}, agent_type = {};
  std::optional<permission::Mode> mode = {};  // its calls must be allowed in this mode too
};

/// Decides about calls: hooks, then rules and mode, then whoever can be asked. Thread-safe.
class CallGate {
 public:
  /// Without an approver, what would need one is denied.
  CallGate(const permission::Policy& policy, const tool::Workspace& workspace, hook::Hooks& hooks,
           Approver* approver = nullptr, Caller caller = {})
      : policy_(policy),
        workspace_(workspace),
        hooks_(hooks),
        approver_(approver),
        caller_(std::move(caller)) {}

  CallVerdict check(const api::Block& call, const tool::Tool& tool, json::Document input,
                    const std::stop_token& stop) const;
  /// Runs the hooks for a call that has run; adds their texts to its result.
  void after(const json::Document& input, Millis duration, ToolCallResult& result,
             const std::stop_token& stop) const;

 private:
  json::Document details_of(const api::Block& call, const json::Document& input) const;
  void decide(const tool::Tool& tool, CallVerdict& verdict) const;
  void ask(const api::Block& call, const tool::Tool& tool, CallVerdict& verdict,
           const std::stop_token& stop) const;
  bool ask_hooks(const api::Block& call, const tool::Tool& tool, CallVerdict& verdict,
                 const std::stop_token& stop) const;
  bool replace_input(const tool::Tool& tool, json::Document input, CallVerdict& verdict) const;

  const permission::Policy& policy_;
  const tool::Workspace& workspace_;
  hook::Hooks& hooks_;
  Approver* approver_;
  Caller caller_;
};

}  // namespace ralph::session

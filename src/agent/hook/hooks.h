#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/event.h"
#include "core/json/document_value.h"

namespace ralph::hook {

/// One time that hooks run.
struct Occasion {
  Event event;
  std::string_view subject =
      {};  // what matchers match: a tool, a trigger; empty: matchers do not apply
  const json::Document& details;      // members of the hook's input, in addition to the common ones
  std::string_view tool_use_id = {};  // of the call it is about
};

enum class Permission { none, allow, ask, deny };

/// What all hooks of an occasion answered. A hook that failed, where the event can block, counts as one that blocks.
struct Answer {
  Permission permission = Permission::none;  // for a call; the strictest answer counts
  bool blocked = false;                      // the event must not happen; of a call: denied
  bool failed = false;                       // blocked because a hook failed
  std::string reason;                        // of a denial or a block, for the model
  std::optional<json::Document> updated_input = {};
  std::vector<std::string> contexts = {};  // texts for the model
  std::optional<std::string> stop = {};    // the agent must stop; why
  std::vector<std::string> notices = {};   // for the user
};

/// The hooks of a session. Thread-safe.
class Hooks {
 public:
  virtual ~Hooks() = default;
  /// Whether any hook is configured for the event.
  virtual bool has(Event event) const = 0;
  /// Runs the matching hooks and waits for them. After a stop request the hooks are ended and the answer blocks.
  virtual Answer run(const Occasion& occasion, const std::stop_token& stop) = 0;
};

/// A session without hooks.
class NoHooks final : public Hooks {
 public:
  bool has(Event) const override { return false; }
  Answer run(const Occasion&, const std::stop_token&) override;
};

}  // namespace ralph::hook

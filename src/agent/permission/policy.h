#pragma once
#include <mutex>
#include <optional>

#include "agent/permission/decide.h"

namespace ralph::permission {

/// Whether the session could ask the user; `none`: --permission-prompts none.
enum class Prompts { possible, none };

/// The permissions of a session, shared with its sub-sessions. Thread-safe.
class Policy {
 public:
  Policy(Mode mode, Rules rules, Prompts prompts = Prompts::possible);

  /// With Prompts::none or dontAsk, that is the reason of a denial that no rule caused.
  /// `own_mode`: of a sub-session that has one; the call must be allowed in both modes.
  Decision decide(const ToolCall& call, std::optional<Mode> own_mode = {}) const;
  Mode mode() const;
  void set_mode(Mode mode);
  Rules rules() const;
  void set_rules(Rules rules);

 private:
  Decision decide_in(Mode mode, const ToolCall& call) const;

  Prompts prompts_;
  mutable std::mutex mutex_;
  Rules rules_;
  Mode mode_;
};

}  // namespace ralph::permission

#pragma once
#include <array>
#include <functional>
#include <mutex>
#include <optional>

#include "agent/permission/decide.h"

namespace ralph::permission {

/// Whether the session could ask the user; `none`: --permission-prompts none.
enum class Prompts { possible, none };

/// Who gave a rule: options and settings files at the start, the settings of a client, its answers about calls.
enum class RuleSource { start, flag_settings, answers };

/// The permissions of a session, shared with its sub-sessions. Thread-safe.
class Policy {
 public:
  Policy(Mode mode, Rules rules, Prompts prompts = Prompts::possible);

  /// With Prompts::none or dontAsk, that is the reason of a denial that no rule caused.
  /// `own_mode`: of a sub-session that has one; the call must be allowed in both modes.
  Decision decide(const ToolCall& call, std::optional<Mode> own_mode = {}) const;
  Mode mode() const;
  void set_mode(Mode mode);
  /// Of all sources.
  Rules rules() const;
  Rules rules(RuleSource source) const;
  /// Changes the rules of one source; those of others stay. `change` runs under the lock.
  void change_rules(RuleSource source, const std::function<void(Rules& rules)>& change);

 private:
  Decision decide_in(Mode mode, const ToolCall& call) const;

  Prompts prompts_;
  mutable std::mutex mutex_;
  std::array<Rules, 3> rules_;  // by source
  Rules all_rules_;
  Mode mode_;
};

}  // namespace ralph::permission

#pragma once
#include <mutex>

#include "agent/permission/decide.h"

namespace ralph::permission {

/// What a denial gives as its reason: `none` means that a prompt was ruled out from the start (--permission-prompts none).
enum class Prompts { possible, none };

/// The permissions of a session, shared with the sessions that work for it. May be used by many threads.
class Policy {
 public:
  Policy(Mode mode, Rules rules, Prompts prompts = Prompts::possible);

  /// Where asking is ruled out from the start, that is the reason of a denial.
  Decision decide(const ToolCall& call) const;
  Mode mode() const;
  void set_mode(Mode mode);

 private:
  Rules rules_;
  Prompts prompts_;
  mutable std::mutex mutex_;
  Mode mode_;
};

}  // namespace ralph::permission

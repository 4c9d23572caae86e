#pragma once
#include <mutex>

#include "agent/permission/policy.h"
#include "agent/session/event.h"

namespace ralph::session {

/// Changes the permission mode of a session and reports each change to the client. Thread-safe.
class ModeSwitch {
 public:
  ModeSwitch(permission::Policy& policy, SessionEvents events) : policy_(policy), events_(events) {}

  permission::Mode mode() const { return policy_.mode(); }
  void set(permission::Mode mode);
  /// From plan mode back to the mode before it; in another mode nothing changes.
  void leave_plan();

 private:
  permission::Policy& policy_;
  SessionEvents events_;
  std::mutex mutex_;
  permission::Mode before_plan_ = permission::Mode::standard;
};

}  // namespace ralph::session

#pragma once
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ralph::session {

/// What a subagent is, for its events; of other sessions empty.
struct AgentFacts {
  std::string id;
  std::string type;         // "general-purpose"
  std::string description;  // of its task
};

/// Which session an event is from: its id and, of a child session, the parent's call. The id may change while other threads
/// use it: references they hold stay valid.
class Identity {
 public:
  explicit Identity(std::string session_id, std::string parent_tool_use_id = {},
                    AgentFacts agent = {})
      : parent_tool_use_id_(std::move(parent_tool_use_id)), agent_(std::move(agent)) {
    ids_.push_back(std::move(session_id));
  }

  const std::string& session_id() const {
    const std::lock_guard lock(mutex_);
    return ids_.back();
  }
  void change_session(std::string id) {
    const std::lock_guard lock(mutex_);
    ids_.push_back(std::move(id));
  }
  /// Empty: it has no parent.
  const std::string& parent_tool_use_id() const { return parent_tool_use_id_; }
  const AgentFacts& agent() const { return agent_; }

 private:
  std::string parent_tool_use_id_;
  AgentFacts agent_;
  mutable std::mutex mutex_;
  std::deque<std::string> ids_;  // former ids stay valid
};

}  // namespace ralph::session

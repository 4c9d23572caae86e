#pragma once
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ralph::session {

/// Who an event is from: a session's id and, of a session that works for another one, the parent's call. The id may change
/// while other threads use it: what they were given stays valid.
class Identity {
 public:
  explicit Identity(std::string session_id, std::string parent_tool_use_id = {})
      : parent_tool_use_id_(std::move(parent_tool_use_id)) {
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
  /// Empty: no other session is above it.
  const std::string& parent_tool_use_id() const { return parent_tool_use_id_; }

 private:
  std::string parent_tool_use_id_;
  mutable std::mutex mutex_;
  std::deque<std::string> ids_;  // all it ever was
};

}  // namespace ralph::session

#pragma once
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ralph::session {

/// An id that may change while other threads use it: what they were given stays good.
class ChangingId {
 public:
  explicit ChangingId(std::string first) { ids_.push_back(std::move(first)); }

  const std::string& now() const {
    const std::lock_guard lock(mutex_);
    return ids_.back();
  }
  operator std::string_view() const { return now(); }
  void change(std::string id) {
    const std::lock_guard lock(mutex_);
    ids_.push_back(std::move(id));
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> ids_;  // all it ever was
};

}  // namespace ralph::session

#include "agent/session/inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ralph::session {

bool Inbox::accepts(const UserMessage& message) {
  const std::lock_guard lock(mutex_);
  return message.uuid.empty() || known_.insert(message.uuid).second;
}

bool Inbox::claim() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(idle_, false)) return false;
  claimed_ = true;
  return true;
}

void Inbox::push(UserMessage message) {
  const std::lock_guard lock(mutex_);
  const bool was_claimed = message.started && std::exchange(claimed_, false);
  if (was_claimed || std::exchange(idle_, false)) {
    handed_ = std::move(message);
  } else {
    queue_.push_back(std::move(message));
  }
  changed_.notify_all();
}

bool Inbox::is_empty() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !handed_ && !claimed_ && holds_ == 0;
}

bool Inbox::has_notification() {
  const std::lock_guard lock(mutex_);
  return (handed_ && handed_->notification) ||
         std::ranges::any_of(queue_, &UserMessage::notification);
}

void Inbox::drop_notifications() {
  const std::lock_guard lock(mutex_);
  if (handed_ && handed_->notification) handed_.reset();
  std::erase_if(queue_, [](const UserMessage& message) { return message.notification; });
}

void Inbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Inbox::hold() {
  const std::lock_guard lock(mutex_);
  ++holds_;
}

void Inbox::release() {
  const std::lock_guard lock(mutex_);
  --holds_;
  changed_.notify_all();
}

std::vector<UserMessage> Inbox::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  std::vector<UserMessage> messages;
  if (!handed_ && (claimed_ || queue_.empty())) {
    idle_ = !claimed_;
    changed_.wait(lock, stop, [&] { return handed_ || (!claimed_ && closed_ && holds_ == 0); });
    idle_ = false;
  }
  if (stop.stop_requested()) return messages;
  if (handed_) {
    messages.push_back(*std::exchange(handed_, std::nullopt));
    return messages;
  }
  if (queue_.empty() || !queue_.front().alone) return take_batch();
  messages.push_back(std::move(queue_.front()));
  queue_.pop_front();
  return messages;
}

std::vector<std::string> Inbox::waiting() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& message : queue_) {
    if (!message.uuid.empty()) ids.push_back(message.uuid);
  }
  return ids;
}

bool Inbox::cancel(std::string_view uuid) {
  const std::lock_guard lock(mutex_);
  const auto known = [&](const UserMessage& message) { return message.uuid == uuid; };
  const bool found = !uuid.empty() && std::erase_if(queue_, known) > 0;
  if (found) changed_.notify_all();
  return found;
}

std::vector<UserMessage> Inbox::take_pending() {
  const std::lock_guard lock(mutex_);
  return take_batch();
}

void Inbox::put_back(std::span<const UserMessage> messages) {
  const std::lock_guard lock(mutex_);
  queue_.insert(queue_.begin(), messages.begin(), messages.end());
  changed_.notify_all();
}

std::vector<UserMessage> Inbox::take_batch() {
  std::vector<UserMessage> messages;
  const auto end = std::ranges::find(queue_, true, &UserMessage::alone);
  std::move(queue_.begin(), end, std::back_inserter(messages));
  queue_.erase(queue_.begin(), end);
  return messages;
}

}  // namespace ralph::session

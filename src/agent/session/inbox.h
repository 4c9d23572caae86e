#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// A message of the user.
struct UserMessage {
  std::string content;        // JSON array of blocks
  std::string uuid;           // empty: none given
  bool started = false;       // its start was reported to the client
  bool notification = false;  // not from the user: a background task has ended
  bool alone = false;         // calls a command: it shares its turn with no other message
  bool expanded = false;      // its content is final
  std::string original;  // JSON: the content before expansion, for its replay; empty: unchanged
};

/// Messages that wait for an answer. A message for an idle agent is delivered alone and at once; messages that arrive while
/// it works are delivered together afterwards.
class Inbox {
 public:
  /// False: its uuid was seen before. Call once per message, before push().
  bool accepts(const UserMessage& message);
  /// True: the agent is idle and now reserved for the next message that is `started`, which must then be pushed.
  bool claim();
  void push(UserMessage message);
  /// The user will send no more.
  void close();
  /// Messages may still arrive after close(), until release() was called as often as hold().
  void hold();
  void release();

  /// Waits for the messages of the next turn; empty: no more will arrive, or a stop was requested.
  std::vector<UserMessage> next(const std::stop_token& stop);
  /// Messages that arrived during the turn, up to the first one that needs a turn of its own.
  std::vector<UserMessage> take_pending();
  /// Messages that were taken but not delivered wait again, before all others.
  void put_back(std::span<const UserMessage> messages);
  /// The ids of the messages that wait.
  std::vector<std::string> waiting();
  /// Drops a message that waits; false: there is none with this id.
  bool cancel(std::string_view uuid);
  /// The end of a background task waits to be answered.
  bool has_notification();
  void drop_notifications();
  /// No message waits, and no running task can add one.
  bool is_empty();

 private:
  std::vector<UserMessage> take_batch();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool idle_ = true;
  bool claimed_ = false;  // a started message is about to be pushed
  bool closed_ = false;
  int holds_ = 0;
  std::optional<UserMessage> handed_;  // to an idle agent
  std::deque<UserMessage> queue_;
  std::set<std::string> known_;  // uuids
};

}  // namespace ralph::session

#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace ralph::session {

/// A message of the user.
struct UserMessage {
  std::string content;        // JSON array of blocks
  std::string uuid;           // empty: it came without one
  bool started = false;       // the client knows that its turn has come
  bool notification = false;  // not the user's: a background task has ended
  bool alone = false;         // calls a command: it shares its turn with no other message
  std::string original;       // JSON: the content as it came, for its replay; empty: as it is now
};

/// Messages of the user that are not answered yet. A message that finds the agent idle is handed over alone, at once;
/// those that come while it works are handed over together afterwards.
class Inbox {
 public:
  /// False: its uuid was there before. Each message is asked about once, before it is pushed.
  bool accepts(const UserMessage& message);
  /// True: nothing is being answered, and the next message that is `started` will be, at once, before any other. It must
  /// then be pushed.
  bool claim();
  void push(UserMessage message);
  /// No more will come from the user.
  void close();
  /// Until as many releases: something may come although it is closed.
  void hold();
  void release();

  /// Waits for what the next turn answers; empty: there will be nothing more, or a stop was asked for.
  std::vector<UserMessage> next(const std::stop_token& stop);
  /// What came meanwhile, for the turn that runs: as far as it belongs there.
  std::vector<UserMessage> take_pending();
  /// Nothing waits, and no task that was started can still add something.
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

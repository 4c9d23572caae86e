#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/opening.h"
#include "agent/session/session_state.h"
#include "core/base/result.h"

namespace ralph::session {

/// How a session answered messages.
struct Answered {
  TurnResult result;
  MessageIds messages;   // those the turn was started for
  MessageIds folded_in;  // those that came while its tools ran
};

/// One conversation with a model, turn by turn. Several may live in one process, one of them working for a call of
/// another. Used by one thread at a time.
class Session {
 public:
  /// An error: the transcript is not the one of this identity, which may be a call of a parent session.
  static Result<std::unique_ptr<Session>> create(SessionConfig config, const SessionLinks& links,
                                                 Opening opening);

  /// nullopt: the turn was abandoned, and there is nothing to report.
  std::optional<Answered> answer(std::vector<UserMessage> messages, const std::stop_token& stop);
  /// "/compact": replaces the conversation by a summary.
  std::optional<Answered> compact(UserMessage message, const std::string& instructions,
                                  const std::stop_token& stop);

  /// The model has its system prompt and introduction: they stay as they are.
  bool introduced() const { return introduced_; }
  void set_system_prompt(std::vector<std::string> texts);
  void set_title(std::string_view title);
  /// Tells the client what the session is like now.
  void announce(const MessageIds& answers) { state_.announce(answers); }
  /// Writes to the transcript what the session cost so far.
  void record_totals();

 private:
  Session(SessionConfig config, const SessionLinks& links, Opening opening);
  void introduce();

  SessionState state_;
  bool introduced_;
};

}  // namespace ralph::session

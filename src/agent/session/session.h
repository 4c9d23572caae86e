#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/open_session.h"
#include "agent/session/session_hooks.h"
#include "agent/session/session_state.h"
#include "core/base/result.h"

namespace ralph::session {

/// What a turn did.
struct TurnReport {
  TurnResult result;
  MessageIds messages;   // that started the turn
  MessageIds folded_in;  // that arrived while its tools ran
};

/// One conversation with a model, turn by turn. A process may have several, one working for a call of another. Used by one
/// thread at a time.
class Session {
 public:
  /// An error: `start` does not belong to this identity (other id, or a side chain without a parent).
  static Result<std::unique_ptr<Session>> create(const SessionConfig& config,
                                                 const SessionLinks& links, SessionStart start);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// nullopt: the turn was abandoned, and there is nothing to report.
  std::optional<TurnReport> answer(std::vector<UserMessage> messages, const std::stop_token& stop);
  /// "/compact": replaces the conversation by a summary.
  std::optional<TurnReport> compact(UserMessage message, const std::string& instructions,
                                    const std::stop_token& stop);

  /// Runs the hooks for the start; their texts come before the next message.
  hook::Answer start(StartSource source, const std::stop_token& stop);
  /// Runs the hooks for the end.
  void end(EndReason reason, const std::stop_token& stop);

  /// The system prompt and the introduction were sent and can no longer change.
  bool introduced() const { return introduced_; }
  void set_system_prompt(std::vector<std::string> texts);
  /// nullptr: none.
  void set_structured_output(const StructuredOutput* structured);
  void set_title(std::string_view title);
  /// A title that the client knows already.
  void record_title(std::string_view title);
  /// Reports the state of the session to the client.
  void announce(const MessageIds& answers) { state_.announce(answers); }
  /// Writes usage and cost so far to the transcript.
  void record_totals();

 private:
  Session(const SessionConfig& config, const SessionLinks& links, SessionStart start);
  void introduce();
  void report_lost(const Error& error);

  SessionState state_;
  bool introduced_;
  std::vector<std::string> contexts_ = {};  // of hooks, for the next message
};

}  // namespace ralph::session

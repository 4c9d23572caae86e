#pragma once
#include "agent/session/compactor.h"
#include "agent/session/failure_text.h"
#include "agent/session/reply_policy.h"
#include "agent/session/reply_reporter.h"
#include "agent/session/tool_round.h"

namespace ralph::session {

/// One turn of a session: from the user's messages to the result.
class Turn {
 public:
  Turn(SessionState& state, std::vector<UserMessage> messages);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// nullopt: the turn was abandoned; there is no result.
  std::optional<TurnResult> run(const std::stop_token& stop);
  /// "/compact": replaces the conversation by a summary.
  std::optional<TurnResult> run_compact(const std::string& instructions,
                                        const std::stop_token& stop);
  /// The uuids of the messages that started it, and of those that arrived while its tools ran.
  const MessageIds& answered() const { return answered_; }
  const MessageIds& folded_in() const { return folded_in_; }

 private:
  using Ended = std::optional<TurnResult>;  // nullopt: the turn goes on, unless it was abandoned
  void begin();
  void add_user_message(const UserMessage& message);
  api::Answer ask(const std::stop_token& stop);
  bool recover(const api::Failure& failure, const std::stop_token& stop);
  void append_reply(const api::Reply& reply);
  Ended act_on(const api::Reply& reply, const std::stop_token& stop);
  Ended run_tools(const api::Reply& reply, const std::stop_token& stop);
  Ended check_limits(const api::Reply& reply);
  void fold_in_messages();
  Ended nudge(std::string_view text, UserExtras extras = {});
  void note_interrupt(std::string_view text);
  TurnResult finished(std::string_view text, const api::ReplyStop& stop_reason);
  TurnResult failed(FailureReport report);
  TurnResult limit_reached(ResultSubtype subtype, TerminalReason reason, std::string error,
                           const api::ReplyStop& stop_reason);
  TurnResult budget_reached(const api::ReplyStop& stop_reason);
  TurnResult interrupted(api::Reply reply);
  /// nullopt: the turn was abandoned.
  std::optional<TurnResult> no_room(const CompactTrouble& trouble);
  TurnResult with_numbers(TurnResult result) const;

  SessionState& state_;
  std::vector<UserMessage> messages_;
  MessageIds answered_, folded_in_;
  std::string prompt_uuid_;
  TurnStats stats_;
  ReplyReporter reporter_;
  Compactor compactor_;
  ToolRound tools_;
  ReplyPolicy policy_;
  Compactor::Trouble trouble_;
  int media_refusals_ = 0;
};

}  // namespace ralph::session

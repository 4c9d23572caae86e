#pragma once
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/session/compactor.h"
#include "agent/session/failure_text.h"
#include "agent/session/reply_policy.h"
#include "agent/session/reply_reporter.h"
#include "agent/session/tool_round.h"
#include "agent/session/turn_hooks.h"

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
  struct GoOn {};
  struct Abandoned {};
  using Step = std::variant<GoOn, Abandoned, TurnResult>;
  void begin();
  Step add_messages(std::span<const UserMessage> messages, const std::stop_token& stop);
  void put_back(std::span<const UserMessage> messages, const std::stop_token& stop);
  void add_user_message(const UserMessage& message);
  void add_contexts(const std::vector<std::string>& texts);
  Step ask_and_act(const std::stop_token& stop);
  api::Answer ask(const std::stop_token& stop);
  bool recover(const api::Failure& failure, const std::stop_token& stop);
  void append_reply(const api::Reply& reply);
  Step act_on(const api::Reply& reply, const std::stop_token& stop);
  Step run_tools(const api::Reply& reply, const std::stop_token& stop);
  Step check_limits(const api::Reply& reply);
  Step check_turn_limit(const api::ReplyStop& stop_reason);
  Step fold_in_messages(const std::stop_token& stop);
  Step nudge(std::string_view text, UserExtras extras = {});
  void add_note(std::string_view text, UserExtras extras = {});
  void note_interrupt(std::string_view text);
  Step end_with(std::string_view text, const api::ReplyStop& stop_reason,
                const std::stop_token& stop);
  TurnResult stopped_by_hook(const api::ReplyStop& stop_reason);
  Step stopped_at_message(const hook::Answer& answer, const std::stop_token& stop);
  std::string report_blocked(const UserMessage& message, const hook::Answer& answer) const;
  TurnResult message_blocked(std::string text);
  TurnResult finished(std::string_view text, const api::ReplyStop& stop_reason);
  TurnResult failed(FailureReport report);
  TurnResult limit_reached(ResultSubtype subtype, TerminalReason reason, std::string error,
                           const api::ReplyStop& stop_reason);
  TurnResult budget_reached(const api::ReplyStop& stop_reason);
  TurnResult interrupted(api::Reply reply);
  Step no_room(const CompactTrouble& trouble);
  TurnResult with_numbers(TurnResult result) const;

  SessionState& state_;
  std::vector<UserMessage> messages_;
  MessageIds answered_, folded_in_;
  std::string prompt_uuid_;
  TurnStats stats_;
  ReplyReporter reporter_;
  Compactor compactor_;
  ToolRound tools_;
  TurnHooks hooks_;
  ReplyPolicy policy_;
  Compactor::Trouble trouble_;
  int media_refusals_ = 0;
  int prevented_ends_ = 0;  // by hooks, since the last tool call
};

}  // namespace ralph::session

#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/session/reply_policy.h"
#include "agent/session/turn_end.h"

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
  const TurnMessages& messages() const { return messages_; }

 private:
  struct GoOn {};
  struct Abandoned {};
  using Step = std::variant<GoOn, Abandoned, TurnResult>;
  void begin();
  Step after_messages(TurnMessages::Outcome outcome, const std::stop_token& stop);
  Step ask_and_act(const std::stop_token& stop);
  api::Answer ask(const std::stop_token& stop);
  bool recover(const api::Failure& failure, const std::stop_token& stop);
  void append_reply(const api::Reply& reply);
  Step act_on(const api::Reply& reply, const std::stop_token& stop);
  Step run_tools(const api::Reply& reply, const std::stop_token& stop);
  Step check_limits(const api::Reply& reply);
  Step check_turn_limit(const api::ReplyStop& stop_reason);
  Step nudge(std::string_view text, UserExtras extras = {});
  Step end_with(std::string_view text, const api::ReplyStop& stop_reason,
                const std::stop_token& stop);

  SessionState& state_;
  TurnStats stats_;
  TurnHooks hooks_;
  TurnMessages messages_;
  ReplyReporter reporter_;
  Compactor compactor_;
  ToolRound tools_;
  TurnEnd end_;
  ReplyPolicy policy_;
  Compactor::Trouble trouble_;
  int media_refusals_ = 0;
  int prevented_ends_ = 0;  // by hooks, since the last tool call
};

}  // namespace ralph::session

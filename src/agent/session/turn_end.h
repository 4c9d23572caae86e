#pragma once
#include <string>
#include <string_view>

#include "agent/session/compactor.h"
#include "agent/session/failure_text.h"
#include "agent/session/reply_reporter.h"
#include "agent/session/tool_round.h"
#include "agent/session/turn_messages.h"

namespace ralph::session {

/// Makes the result of a turn, with its usage and timing. What the user sees of an early end is also reported and added to
/// the conversation. Used once, at the end.
class TurnEnd {
 public:
  TurnEnd(SessionState& state, TurnStats& stats, ReplyReporter& reporter, const ToolRound& tools,
          const TurnMessages& messages)
      : state_(state), stats_(stats), reporter_(reporter), tools_(tools), messages_(messages) {}

  TurnResult finished(std::string_view text, const api::ReplyStop& stop_reason);
  /// The result of "/compact", with the text it prints.
  TurnResult compacted(std::string_view said);
  TurnResult failed(FailureReport report);
  TurnResult no_room(const CompactTrouble& trouble);
  TurnResult limit_reached(ResultSubtype subtype, TerminalReason reason, std::string error,
                           const api::ReplyStop& stop_reason);
  TurnResult budget_reached(const api::ReplyStop& stop_reason);
  /// Keeps the text of the interrupted reply, without calls, which were not made.
  TurnResult interrupted(api::Reply reply);
  TurnResult interrupted_tools(const api::ReplyStop& stop_reason);
  TurnResult stopped_by_hook(const api::ReplyStop& stop_reason);
  /// Hooks kept the user's messages from the model; the text says why.
  TurnResult blocked(std::string text);
  /// As above, but a hook wants the turn to end.
  TurnResult stopped_at_message(std::string text);

 private:
  void add_interrupt(std::string_view text);
  TurnResult with_numbers(TurnResult result) const;

  SessionState& state_;
  TurnStats& stats_;
  ReplyReporter& reporter_;
  const ToolRound& tools_;
  const TurnMessages& messages_;
};

}  // namespace ralph::session

#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/hook/hooks.h"
#include "agent/session/collaborators.h"
#include "agent/session/compaction.h"
#include "agent/session/conversation.h"
#include "agent/session/event.h"
#include "agent/session/inbox.h"
#include "agent/session/ledger.h"
#include "agent/session/structured_output.h"
#include "agent/session/turn_control.h"
#include "agent/settings/model_choice.h"

namespace ralph::session {

/// What ends a turn early.
struct TurnLimits {
  std::optional<double> max_budget_usd;
  std::optional<std::int64_t> max_turns;
  std::int64_t loop_guard = 0;  // LoopGuard's limit
  int max_structured_failures = StructuredOutput::kMaxFailures;
};

/// How a session works.
struct SessionConfig {
  InitFacts init;                                          // except the model and the tools
  std::function<std::string_view()> permission_mode = {};  // now; empty: that of `init`
  std::vector<std::string> system;                         // texts for the model
  std::function<std::vector<std::string>()>
      introduction;  // texts before the first message, also after a compaction
  std::function<void(std::string_view)> warn;  // prints a line to the user
  CompactPolicy compaction;
  TurnLimits limits = {};
  const StructuredOutput* structured = nullptr;  // nullptr: no structured output
  bool partial_messages = false;                 // report replies while they arrive
  bool replay_user_messages = false;
  bool token_login = false;  // the credential is a token, not a key
};

/// What a session works with and does not own; it outlives the session. A session that works for another one shares its
/// parent's ledger, so that both count against one budget, and its control; it needs an inbox of its own, because a turn
/// takes messages from it.
struct SessionLinks {
  const Identity& identity;
  Model& model;
  Tools& tools;
  EventSink& sink;
  settings::ModelChoice& choice;
  Inbox& inbox;
  TurnControl& control;
  Ledger& ledger;
  hook::Hooks& hooks;
};

/// The parts of a session that its turns work on.
struct SessionState {
  SessionConfig config;
  SessionLinks links;
  SessionEvents events;
  Conversation conversation;
  Context context;
  PreservedContext preserved;
  Millis api_time{0};                 // of all turns so far
  std::string tool_definitions = {};  // JSON array; empty: no tools

  bool over_budget() const;
  /// Of the model, in tokens.
  std::int64_t window() const;
  /// Tokens of the next request.
  std::int64_t tokens() const;
  /// The list of tools may have changed.
  void refresh_tools(const std::stop_token& stop);
  /// Without the messages.
  api::Request new_request() const;
  void charge(const api::Reply& reply);
  /// Reports the state of the session to the client, at the start of a turn.
  void announce(const MessageIds& answers);

  /// Switches to the next fallback model if the failure is an overload; false: it is not, or no model is left.
  bool fall_back(const api::Failure& failure);
  /// False: the failure is not about media, or there is none to remove.
  bool remove_refused_media(const api::Failure& failure, Removal removal);
};

}  // namespace ralph::session

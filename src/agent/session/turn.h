#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/client.h"
#include "agent/session/compaction.h"
#include "agent/session/conversation.h"
#include "agent/session/event_writer.h"
#include "agent/session/events.h"
#include "agent/session/failure_text.h"
#include "agent/session/inbox.h"
#include "agent/session/ledger.h"
#include "agent/session/loop_guard.h"
#include "agent/session/media.h"
#include "agent/session/structured_output.h"
#include "agent/session/toolbox.h"
#include "agent/session/turn_control.h"
#include "agent/settings/model_choice.h"
#include "agent/settings/options.h"

namespace ralph::session {

/// What a turn works with; it outlives the turn.
struct TurnParts {
  const settings::Options& options;
  EventWriter& writer;
  const EventMaker& events;
  Ledger& ledger;
  Conversation& conversation;
  Inbox& inbox;
  TurnControl& control;
  settings::ModelChoice& model;
  api::Client* client;  // nullptr: there is no credential
  bool with_token;      // the credential is a token
  Toolbox& toolbox;
  tool::BackgroundTasks& tasks;
  const StructuredOutput* structured;  // nullptr: no schema was given
  int max_structured_failures;
  InitFacts init;                   // but for the model
  std::vector<std::string> system;  // for the model
  std::string tools;                // JSON array of definitions
  std::string user_id;
  Context& context;
  PreservedContext& kept;
  std::function<std::vector<std::string>()> introduction;  // what the model must always know
  std::int64_t loop_guard = 0;                             // LoopGuard's limit
  Millis api_time{0};                                      // of all turns so far
};

/// One turn: from what the user said to the result.
class Turn final : private api::Listener {
 public:
  Turn(TurnParts& parts, std::vector<UserMessage> messages);

  /// nullopt: it was abandoned, and there is nothing to tell.
  std::optional<ResultFacts> run(const std::stop_token& stop);
  /// The same for "/compact": the conversation is cut down to a summary, and nothing is answered.
  std::optional<ResultFacts> run_compact(const std::string& instructions,
                                         const std::stop_token& stop);
  /// The uuids of the messages it was begun for.
  const MessageIds& answered() const { return answered_; }
  /// … and of those that came while its tools ran.
  const MessageIds& folded_in() const { return folded_; }

 private:
  using Ended = std::optional<ResultFacts>;  // nullopt: the model is asked again
  /// What a tool has to say behind its result; the model hears it behind the results of all calls.
  struct FollowUp {
    std::string content;  // JSON
    std::string uuid;
  };

  void on_thinking(std::string_view text) override;
  void on_block(const api::Reply& so_far, const api::Block& block) override;
  void on_event(const api::Reply& so_far, std::string_view type, std::string_view json) override;
  void on_abandoned(const api::Reply& so_far, std::size_t index) override;
  void on_retry(const api::Retry& retry) override;

  void begin();
  void start(const UserMessage& message);
  void hear(const UserMessage& message);
  api::Answer ask(const std::stop_token& stop);
  using Trouble = std::optional<CompactTrouble>;  // nullopt: there is room
  Trouble make_room(std::int64_t for_more, const std::stop_token& stop);
  Trouble make_room_after_refusal(const std::stop_token& stop);
  Trouble compact(const SummaryOrder& order, const std::stop_token& stop);
  Trouble sum_up(const SummaryOrder& order, std::string& summary, const std::stop_token& stop);
  Trouble ask_for_summary(const SummaryOrder& order, std::string& summary,
                          const std::stop_token& stop);
  std::size_t room_for_summary() const;
  void start_over(std::string_view trigger, std::string_view summary, SteadyTime began);
  bool too_full(std::int64_t tokens) const;
  /// Of the model, in tokens.
  std::int64_t window() const;
  /// False: the API refused something else, or nothing is left that could be removed.
  bool remove_refused_media(const api::Failure& failure, Removal removal);
  /// For Toolbox::set_read_room.
  std::int64_t read_room() const;
  Ended stuck(const CompactTrouble& trouble);
  Ended check_loop();
  bool fall_back(const api::Failure& failure);
  void charge(const api::Reply& reply);
  void keep(const api::Reply& reply);
  void end_shown(const api::Reply& reply, std::size_t index);
  void close_shown(const api::Reply& reply, std::size_t open_index, std::size_t shown);
  Ended decide(const api::Reply& reply, const std::stop_token& stop);
  Ended run_tools(const api::Reply& reply, const std::stop_token& stop);
  Ended after_tools(const api::Reply& reply);
  ToolCallResult take_structured(const api::Block& call);
  void tell(ToolCallResult served);
  void tell_task(const ToolCallResult& served);
  void tell_follow_up(std::string_view text);
  void keep_follow_ups();
  void fold_in_messages();
  Ended finish_or_demand_structure(const api::Reply& reply);
  Ended go_on_after_limit();
  Ended refused(const api::Reply& reply);
  Ended without_tool(const api::Reply& reply);
  Ended nudge(std::string_view text, UserExtras extras = {});

  bool over_budget() const;
  ResultFacts finished(std::string_view text, std::string_view stop_reason);
  ResultFacts failed(FailureWords words);
  ResultFacts limit(std::string subtype, std::string terminal_reason, std::string error,
                    std::string_view stop_reason);
  ResultFacts interrupted(api::Reply reply);
  ResultFacts interrupted_tools(const api::Reply& reply);
  void note_interrupt(std::string_view text);
  ResultFacts with_numbers(ResultFacts facts) const;

  TurnParts& parts_;
  std::vector<UserMessage> messages_;
  MessageIds answered_;
  MessageIds folded_;
  MessageIds to_name_;  // on the next event of an answer
  std::string prompt_uuid_;
  SteadyTime began_;
  std::optional<Millis> to_request_, to_stream_, to_first_token_;
  std::optional<FirstRequest> first_request_;
  api::Usage usage_;
  std::int64_t requests_ = 0;
  std::int64_t added_messages_ = 0;  // by us: tool results and nudges

  std::vector<std::string> block_uuids_;  // of the answer that comes
  std::int64_t thinking_tokens_ = 0;
  std::optional<SteadyTime> thinking_since_;
  bool thinking_told_ = false;  // the event that comes is about thinking
  std::string thinking_display_;
  std::vector<std::string> retracted_;

  int continuations_ = 0;
  int cuts_ = 0;
  int structured_failures_ = 0;
  int safety_stops_ = 0;
  int media_refusals_ = 0;
  bool noted_refusal_ = false;
  bool noted_empty_ = false;
  bool noted_missing_tool_ = false;
  bool demanded_structure_ = false;
  std::optional<std::string> structured_;
  LoopGuard guard_;
  std::string denials_;  // JSON objects, joined by commas
  std::vector<FollowUp> follow_ups_;
};

}  // namespace ralph::session

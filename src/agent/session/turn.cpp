#include "agent/session/turn.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

/// How many rejected pictures and documents are removed one by one, before all are.
constexpr int kSingleRemovals = 2;

constexpr std::string_view kGoOn =
    "The answer reached its length limit. Continue exactly where it stopped, without repeating "
    "anything; keep the rest short.";
constexpr std::string_view kCutOff =
    "The connection broke while the answer above was sent. Continue where it stops; if it is "
    "empty, answer from the beginning.";
constexpr std::string_view kRefused =
    "A safety check stopped the answer above and withheld the rest of it. Do not write that "
    "content again in any form.";
constexpr std::string_view kEmpty =
    "[The last answer has no visible text. Please write an answer that the user can see.]";
constexpr std::string_view kMissingTool =
    "The last answer announced a tool call but did not contain one. Please make the call now.";
constexpr std::string_view kDemandStructure =
    "[structured-output-enforce] A call of the StructuredOutput tool is required to complete this "
    "request. Make it now.";
/// A hook that never lets a turn end would cost without limit.
constexpr int kMostPreventedEnds = 8;

/// Adds a message of the agent with the role of the user.
void add_note(SessionState& state, std::string_view text, UserExtras extras = {}) {
  const auto content = text_content(text);
  extras.uuid = make_uuid();
  extras.synthetic = true;
  state.conversation.add_user(content, extras.uuid, "\"isMeta\":true");
  state.events.emit(UserInput{content, extras});
}

std::string repeated_note(const LoopGuard& guard) {
  return fmt::format(
      "[loop-guard] The same call was made {} times in a row with the same result: {}. Repeating "
      "it will not help. Find out why it fails, try something else, or say what is missing and "
      "finish.",
      guard.times(), guard.repeated());
}

}  // namespace

Turn::Turn(SessionState& state, std::vector<UserMessage> messages)
    : state_(state),
      stats_{.began = steady_clock::now()},
      hooks_(state),
      messages_(state, stats_, hooks_, std::move(messages)),
      reporter_(state, stats_),
      compactor_(state, stats_),
      tools_(state, stats_),
      end_(state, stats_, reporter_, tools_, messages_) {}

std::optional<TurnResult> Turn::run(const std::stop_token& stop) {
  state_.refresh_tools(stop);
  begin();
  // Before the new messages are added: only earlier ones are summarized.
  trouble_ = compactor_.make_room(messages_.tokens(), stop);
  auto step = after_messages(messages_.add(stop), stop);
  while (std::holds_alternative<GoOn>(step)) step = ask_and_act(stop);
  if (auto* result = std::get_if<TurnResult>(&step)) return std::move(*result);
  return std::nullopt;
}

/// One request and what follows from its reply.
Turn::Step Turn::ask_and_act(const std::stop_token& stop) {
  if (!trouble_) trouble_ = compactor_.make_room(0, stop);
  if (trouble_ && state_.links.control.abandoned()) return Abandoned{};
  if (trouble_) return end_.no_room(*trouble_);
  if (state_.over_budget()) return end_.budget_reached({});
  if (!state_.links.model.available()) return end_.failed(not_logged_in());
  const auto answer = ask(stop);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (answer.failure) {
    if (answer.failure->kind == api::FailureKind::cancelled) return end_.interrupted(answer.reply);
    if (recover(*answer.failure, stop)) return GoOn{};
    return end_.failed(
        failure_report(*answer.failure, state_.links.choice.id(), state_.config.token_login));
  }
  append_reply(answer.reply);
  if (state_.over_budget()) return end_.budget_reached(answer.reply.stop_reason);
  return act_on(answer.reply, stop);
}

void Turn::begin() {
  messages_.begin();
  reporter_.set_answered(messages_.answered());
  state_.announce(messages_.answered());
}

/// What follows from the hooks of messages.
Turn::Step Turn::after_messages(TurnMessages::Outcome outcome, const std::stop_token& stop) {
  if (auto* blocked = std::get_if<TurnMessages::Blocked>(&outcome)) {
    return end_.blocked(std::move(blocked->text));
  }
  auto* const stopped = std::get_if<TurnMessages::Stopped>(&outcome);
  if (stopped == nullptr) return GoOn{};
  auto& answer = stopped->answer;
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested()) return end_.interrupted({});
  if (answer.failed) {
    return end_.failed(failed_hook("UserPromptSubmit hook error: " + answer.reason));
  }
  return end_.stopped_at_message(*std::move(answer.stop));
}

api::Answer Turn::ask(const std::stop_token& stop) {
  state_.refresh_tools(stop);
  state_.conversation.limit_media(most_media(state_.window()));
  auto request = state_.new_request();
  request.messages = state_.conversation.messages();
  reporter_.start_reply(request.shape.thinking_display);
  if (state_.config.partial_messages) state_.events.emit(RequestStarted{});
  if (!stats_.to_request) stats_.to_request = since(stats_.began);
  const auto asked = steady_clock::now();
  const auto asked_at = now_utc();
  auto answer = state_.links.model.ask(request, reporter_, stop);
  if (answer.failure) return answer;
  ++stats_.requests;
  state_.api_time += since(asked);
  if (!stats_.first_request) {
    stats_.first_request = {duration_cast<Millis>(asked_at.time_since_epoch()).count(),
                            answer.reply.usage.input_tokens,
                            answer.reply.usage.cache_read_input_tokens};
  }
  return answer;
}

/// Whether to send the request again: to another model, with a shorter conversation, or without rejected media.
bool Turn::recover(const api::Failure& failure, const std::stop_token& stop) {
  if (state_.fall_back(failure)) return true;
  if (api::is_too_long(failure) && state_.conversation.has_answer() &&
      state_.context.policy().automatic()) {
    trouble_ = compactor_.make_room_after_refusal(stop);
    return true;
  }
  const auto removal = ++media_refusals_ > kSingleRemovals ? Removal::all : Removal::one;
  return state_.remove_refused_media(failure, removal);
}

void Turn::append_reply(const api::Reply& reply) {
  stats_.usage += reply.usage;
  state_.charge(reply);
  state_.context.answered(reply.usage);
  auto kept = reply;
  std::erase_if(kept.content, is_empty_text);
  state_.conversation.add_assistant(kept, reporter_.block_uuids());
}

Turn::Step Turn::act_on(const api::Reply& reply, const std::stop_token& stop) {
  const bool structure_missing = state_.config.structured != nullptr && !tools_.structured();
  const auto step = policy_.next(reply, structure_missing);
  const auto& model = state_.links.choice.id();
  UserExtras extras;
  switch (step) {
    case NextStep::run_tools: return run_tools(reply, stop);
    case NextStep::resume_broken: return nudge(kCutOff);
    case NextStep::continue_reply: return nudge(kGoOn);
    case NextStep::ask_for_text: return nudge(kEmpty);
    case NextStep::demand_structure: return nudge(kDemandStructure);
    case NextStep::note_refusal:
      ++stats_.safety_stops;
      state_.events.emit(
          Notice{"A safety check stopped the reply above; asking the model once more"});
      extras.refused_message_id = reply.id;
      return nudge(kRefused, extras);
    case NextStep::ask_for_call:
      state_.conversation.retract_answer();
      reporter_.retract();
      extras.retracted = reporter_.block_uuids();
      return nudge(kMissingTool, extras);
    case NextStep::fail_broken: return end_.failed(broken_again(reply, state_.config.token_login));
    case NextStep::fail_length:
      return end_.failed(too_long_again(state_.links.choice.shape().max_tokens));
    case NextStep::fail_refused:
      ++stats_.safety_stops;
      state_.events.emit(ReplyRefused{model, reply, messages_.prompt_uuid()});
      return end_.failed(refused_again(reply, model));
    case NextStep::finish: break;
  }
  return end_with(last_text(reply), reply.stop_reason, stop);
}

Turn::Step Turn::run_tools(const api::Reply& reply, const std::stop_token& stop) {
  prevented_ends_ = 0;
  tools_.run(reply, stop);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested() || tools_.interrupted()) {
    return end_.interrupted_tools(reply.stop_reason);
  }
  if (tools_.stopped_by_hook()) return end_.stopped_by_hook(reply.stop_reason);
  if (tools_.structured()) return end_with("", reply.stop_reason, stop);
  auto step = check_limits(reply);
  return std::holds_alternative<GoOn>(step) ? after_messages(messages_.fold_in(stop), stop) : step;
}

Turn::Step Turn::check_limits(const api::Reply& reply) {
  const auto& limits = state_.config.limits;
  if (tools_.structured_failures() >= limits.max_structured_failures) {
    return end_.limit_reached(
        ResultSubtype::max_structured_retries, TerminalReason::structured_output_retries,
        fmt::format("Failed to provide valid structured output after {} attempts",
                    tools_.structured_failures()),
        reply.stop_reason);
  }
  if (auto step = check_turn_limit(reply.stop_reason); !std::holds_alternative<GoOn>(step)) {
    return step;
  }
  auto& guard = tools_.guard();
  switch (guard.end_round()) {
    case LoopGuard::Verdict::fine: return GoOn{};
    case LoopGuard::Verdict::warn: add_note(state_, repeated_note(guard)); return GoOn{};
    case LoopGuard::Verdict::stop: break;
  }
  return end_.failed(stopped_by_loop_guard(guard.times(), guard.repeated()));
}

Turn::Step Turn::check_turn_limit(const api::ReplyStop& stop_reason) {
  const auto most = state_.config.limits.max_turns.value_or(0);
  if (most == 0 || stats_.requests < most) return GoOn{};
  return end_.limit_reached(ResultSubtype::max_turns, TerminalReason::max_turns,
                            fmt::format("Reached maximum number of turns ({})", most), stop_reason);
}

/// Adds a message of the agent with the role of the user.
Turn::Step Turn::nudge(std::string_view text, UserExtras extras) {
  ++stats_.added_messages;
  add_note(state_, text, std::move(extras));
  return GoOn{};
}

/// Unless a hook makes the model continue.
Turn::Step Turn::end_with(std::string_view text, const api::ReplyStop& stop_reason,
                          const std::stop_token& stop) {
  auto answer = hooks_.before_end(text, stop);
  if (!answer.failed && (!answer.blocked || answer.stop)) return end_.finished(text, stop_reason);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested()) return end_.interrupted({});
  if (answer.failed) return end_.failed(failed_hook("Stop hook error: " + answer.reason));
  if (++prevented_ends_ > kMostPreventedEnds) {
    return end_.failed(failed_hook(
        fmt::format("A Stop hook prevented the end of the turn {} times without a tool call in "
                    "between; the turn was stopped. Its reason: {}",
                    kMostPreventedEnds, answer.reason)));
  }
  auto step = check_turn_limit(stop_reason);
  if (!std::holds_alternative<GoOn>(step)) return step;
  return nudge("Stop hook feedback:\n" + answer.reason);
}

std::optional<TurnResult> Turn::run_compact(const std::string& instructions,
                                            const std::stop_token& stop) {
  state_.refresh_tools(stop);
  std::string summary;
  const bool available = state_.links.model.available();
  const bool allowed = state_.context.policy().on_demand();
  const bool possible = allowed && state_.conversation.has_answer();
  if (possible && available && !state_.over_budget()) {
    trouble_ = compactor_.summarize(instructions, summary, stop);
  }
  begin();
  if (!available) return end_.failed(not_logged_in());
  if (trouble_ && state_.links.control.abandoned()) return std::nullopt;
  if (trouble_) return end_.no_room(*trouble_);
  if (possible && summary.empty()) return end_.budget_reached({});
  std::string_view said = "Compacted ";
  if (!allowed) said = "Nothing was compacted: DISABLE_COMPACT is set";
  if (allowed && !possible) said = "Nothing was compacted: the conversation has no reply yet";
  if (possible) {
    compactor_.replace_conversation(CompactTrigger::manual, summary, stats_.began, stop);
  }
  return end_.compacted(said);
}

}  // namespace ralph::session

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
    "empty, "
    "answer from the beginning.";
constexpr std::string_view kRefused =
    "A safety check stopped the answer above and withheld the rest of it. Do not write that "
    "content "
    "again in any form.";
constexpr std::string_view kEmpty =
    "[The last answer has no visible text. Please write an answer that the user can see.]";
constexpr std::string_view kMissingTool =
    "The last answer announced a tool call but did not contain one. Please make the call now.";
constexpr std::string_view kDemandStructure =
    "[structured-output-enforce] A call of the StructuredOutput tool is required to complete this "
    "request. Make it now.";
constexpr std::string_view kInterruptedTools = "[Request interrupted by user for tool use]";

}  // namespace

Turn::Turn(SessionState& state, std::vector<UserMessage> messages)
    : state_(state),
      messages_(std::move(messages)),
      stats_{.began = steady_clock::now()},
      reporter_(state, stats_),
      compactor_(state, stats_),
      tools_(state, stats_),
      hooks_(state) {}

std::optional<TurnResult> Turn::run(const std::stop_token& stop) {
  state_.refresh_tools(stop);
  begin();
  std::int64_t more = 0;
  for (const auto& message : messages_) more += content_tokens(message.content);
  // Before the new messages are added: only earlier ones are summarized.
  trouble_ = compactor_.make_room(more, stop);
  auto step = add_messages(messages_, stop);
  while (std::holds_alternative<GoOn>(step)) step = ask_and_act(stop);
  if (auto* result = std::get_if<TurnResult>(&step)) return std::move(*result);
  return std::nullopt;
}

/// One request and what follows from its reply.
Turn::Step Turn::ask_and_act(const std::stop_token& stop) {
  if (!trouble_) trouble_ = compactor_.make_room(0, stop);
  if (trouble_) return no_room(*trouble_);
  if (state_.over_budget()) return budget_reached({});
  if (!state_.links.model.available()) return failed(not_logged_in());
  const auto answer = ask(stop);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (answer.failure) {
    if (answer.failure->kind == api::FailureKind::cancelled) return interrupted(answer.reply);
    if (recover(*answer.failure, stop)) return GoOn{};
    return failed(
        failure_report(*answer.failure, state_.links.choice.id(), state_.config.token_login));
  }
  append_reply(answer.reply);
  if (state_.over_budget()) return budget_reached(answer.reply.stop_reason);
  return act_on(answer.reply, stop);
}

/// Everything before the first request.
void Turn::begin() {
  for (const auto& message : messages_) {
    if (message.uuid.empty()) continue;
    answered_.push_back(message.uuid);
    if (message.started) continue;
    state_.events.emit(MessageProgress{message.uuid, MessageState::started});
  }
  reporter_.set_answered(answered_);
  state_.announce(answered_);
}

/// Hooks can keep messages from the model. If none of the user's is left, or a hook wants so, the turn is over; messages
/// behind the one that ended it wait for the next turn.
Turn::Step Turn::add_messages(std::span<const UserMessage> messages, const std::stop_token& stop) {
  bool any = stats_.requests > 0 || (!messages.empty() && messages.front().notification);
  std::string blocked;
  while (!messages.empty()) {
    const auto& message = messages.front();
    messages = messages.subspan(1);
    auto answer = hooks_.before_message(message, stop);
    if (answer.stop || answer.failed || (answer.blocked && stop.stop_requested())) {
      put_back(messages, stop);
      return stopped_at_message(answer, stop);
    }
    if (answer.blocked) {
      blocked = report_blocked(message, answer);
      continue;
    }
    any = any || !message.notification;
    add_user_message(message);
    add_contexts(answer.contexts);
  }
  if (any || blocked.empty()) return GoOn{};
  return message_blocked(std::move(blocked));
}

/// An interrupt of a turn that has asked nothing yet is meant for all of its messages.
void Turn::put_back(std::span<const UserMessage> messages, const std::stop_token& stop) {
  if (stop.stop_requested() && stats_.requests == 0) return;
  std::vector<UserMessage> waiting(messages.begin(), messages.end());
  for (auto& message : waiting) {
    message.started = true;
    std::erase(answered_, message.uuid);
    std::erase(folded_in_, message.uuid);
  }
  state_.links.inbox.put_back(waiting);
}

/// Texts of hooks; only the model sees them.
void Turn::add_contexts(const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    state_.conversation.add_user(text_content(text), make_uuid(), "\"isMeta\":true");
  }
}

void Turn::add_user_message(const UserMessage& message) {
  prompt_uuid_ = message.uuid.empty() ? make_uuid() : message.uuid;
  state_.conversation.add_user(message.content, prompt_uuid_,
                               message.notification ? "\"isMeta\":true" : "");
  if (message.notification) return;
  state_.preserved.add_prompt(message.content);
  if (!state_.config.replay_user_messages) return;
  UserExtras extras;
  extras.uuid = prompt_uuid_;
  extras.replay = true;
  state_.events.emit(
      UserInput{message.original.empty() ? message.content : message.original, extras});
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
    case NextStep::fail_broken: return failed(broken_again(reply, state_.config.token_login));
    case NextStep::fail_length:
      return failed(too_long_again(state_.links.choice.shape().max_tokens));
    case NextStep::fail_refused:
      ++stats_.safety_stops;
      state_.events.emit(ReplyRefused{model, reply, prompt_uuid_});
      return failed(refused_again(reply, model));
    case NextStep::finish: break;
  }
  return end_with(last_text(reply), reply.stop_reason, stop);
}

Turn::Step Turn::run_tools(const api::Reply& reply, const std::stop_token& stop) {
  prevented_ends_ = 0;
  tools_.run(reply, stop);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested() || tools_.interrupted()) {
    note_interrupt(kInterruptedTools);
    return limit_reached(ResultSubtype::execution, TerminalReason::aborted_tools,
                         "the turn was interrupted", reply.stop_reason);
  }
  if (tools_.stopped_by_hook()) return stopped_by_hook(reply.stop_reason);
  if (tools_.structured()) return end_with("", reply.stop_reason, stop);
  auto step = check_limits(reply);
  return std::holds_alternative<GoOn>(step) ? fold_in_messages(stop) : step;
}

Turn::Step Turn::check_limits(const api::Reply& reply) {
  const auto& limits = state_.config.limits;
  if (tools_.structured_failures() >= limits.max_structured_failures) {
    return limit_reached(ResultSubtype::max_structured_retries,
                         TerminalReason::structured_output_retries,
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
    case LoopGuard::Verdict::warn:
      add_note(fmt::format(
          "[loop-guard] The same call was made {} times in a row with the same result: {}. "
          "Repeating "
          "it will not help. Find out why it fails, try something else, or say what is missing and "
          "finish.",
          guard.times(), guard.repeated()));
      return GoOn{};
    case LoopGuard::Verdict::stop: break;
  }
  return failed(stopped_by_loop_guard(guard.times(), guard.repeated()));
}

Turn::Step Turn::check_turn_limit(const api::ReplyStop& stop_reason) {
  const auto most = state_.config.limits.max_turns.value_or(0);
  if (most == 0 || stats_.requests < most) return GoOn{};
  return limit_reached(ResultSubtype::max_turns, TerminalReason::max_turns,
                       fmt::format("Reached maximum number of turns ({})", most), stop_reason);
}

/// Messages that arrived while the tools ran are sent with the results.
Turn::Step Turn::fold_in_messages(const std::stop_token& stop) {
  const auto messages = state_.links.inbox.take_pending();
  for (const auto& message : messages) {
    if (message.uuid.empty()) continue;
    folded_in_.push_back(message.uuid);
    if (message.started) continue;
    state_.events.emit(MessageProgress{message.uuid, MessageState::started});
  }
  return add_messages(messages, stop);
}

/// Adds a message of the agent with the role of the user.
Turn::Step Turn::nudge(std::string_view text, UserExtras extras) {
  ++stats_.added_messages;
  add_note(text, std::move(extras));
  return GoOn{};
}

void Turn::add_note(std::string_view text, UserExtras extras) {
  const auto content = text_content(text);
  extras.uuid = make_uuid();
  extras.synthetic = true;
  state_.conversation.add_user(content, extras.uuid, "\"isMeta\":true");
  state_.events.emit(UserInput{content, extras});
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
  if (!available) return failed(not_logged_in());
  if (trouble_) {
    auto step = no_room(*trouble_);
    if (auto* result = std::get_if<TurnResult>(&step)) return std::move(*result);
    return std::nullopt;
  }
  if (possible && summary.empty()) return budget_reached({});
  std::string_view said = "Compacted ";
  if (!allowed) said = "Nothing was compacted: DISABLE_COMPACT is set";
  if (allowed && !possible) said = "Nothing was compacted: the conversation has no reply yet";
  if (possible) {
    compactor_.replace_conversation(CompactTrigger::manual, summary, stats_.began, stop);
  }
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.replay = true;
  const auto output = fmt::format("<local-command-stdout>{}</local-command-stdout>", said);
  state_.events.emit(UserInput{json_string(output), extras});
  auto result = with_numbers({});
  result.num_turns = 0;
  result.to_request = result.to_stream = result.to_first_token = std::nullopt;
  result.local_command = "compact";
  return result;
}

}  // namespace ralph::session

#include "agent/session/turn.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "agent/settings/text.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

constexpr int kMaxContinuations = 3;
constexpr int kMaxCuts = 3;
/// So many pictures and documents that the API refuses are removed one by one, then all that are left.
constexpr int kSingleRemovals = 2;

constexpr std::string_view kGoOn =
    "The answer reached its length limit. Go on exactly where it stopped, without repeating "
    "anything; keep what remains short.";
constexpr std::string_view kCutOff =
    "The answer above broke off on its way. Go on where it stops; if none of it is there, answer "
    "from the beginning.";
constexpr std::string_view kRefused =
    "A safety check stopped the answer above and withheld the rest of it. Do not give that content "
    "again in any form.";
constexpr std::string_view kEmpty =
    "[The last answer showed nothing. Please give an answer that the user can see.]";
constexpr std::string_view kMissingTool =
    "The last answer announced a tool call and made none. Please make the call now.";
constexpr std::string_view kDemandStructure =
    "[structured-output-enforce] This request is complete only with a call of the StructuredOutput "
    "tool. Make it now.";
constexpr std::string_view kInterrupted = "[Request interrupted by user]";

/// What is done about the end of an answer that calls no tool.
enum class Step { finish, go_on, refuse, expect_tool };
struct StopRow {
  std::string_view reason;
  Step step;
};
constexpr auto kStopRows = std::to_array<StopRow>({
    {"end_turn", Step::finish},
    {"stop_sequence", Step::finish},
    {"pause_turn", Step::finish},
    {"max_tokens", Step::go_on},
    {"model_context_window_exceeded", Step::go_on},
    {"refusal", Step::refuse},
    {"tool_use", Step::expect_tool},
});

Step step_for(std::string_view stop_reason) {
  const auto* row = std::ranges::find(kStopRows, stop_reason, &StopRow::reason);
  return row == kStopRows.end() ? Step::finish : row->step;
}

/// The API does not take such a block back.
bool is_empty_text(const api::Block& block) {
  return block.type == "text" && settings::is_blank(block.text);
}

std::string_view last_text(const api::Reply& reply) {
  const auto found = std::ranges::find(reply.content.rbegin(), reply.content.rend(),
                                       std::string_view("text"), &api::Block::type);
  return found == reply.content.rend() ? std::string_view() : found->text;
}

std::string synthetic_members() { return "\"isMeta\":true"; }

}  // namespace

Turn::Turn(TurnParts& parts, std::vector<UserMessage> messages)
    : parts_(parts),
      messages_(std::move(messages)),
      began_(steady_clock::now()),
      guard_(parts.loop_guard) {}

std::optional<ResultFacts> Turn::run(const std::stop_token& stop) {
  begin();
  std::int64_t more = 0;
  for (const auto& message : messages_) more += content_tokens(message.content);
  // What is asked now stays as it is: only what was before it is cut down.
  auto trouble = make_room(more, stop);
  for (const auto& message : messages_) hear(message);
  for (;;) {
    if (!trouble) trouble = make_room(0, stop);
    if (trouble) return stuck(*trouble);
    if (over_budget()) return limit("error_max_budget_usd", "budget_exhausted", "", "");
    if (parts_.client == nullptr) return failed(not_logged_in());
    const auto answer = ask(stop);
    if (parts_.control.abandoned()) return std::nullopt;
    if (answer.failure) {
      if (answer.failure->kind == api::FailureKind::cancelled) return interrupted(answer.reply);
      if (fall_back(*answer.failure)) continue;
      if (api::is_too_long(*answer.failure) && parts_.conversation.has_answer() &&
          parts_.context.policy().automatic()) {
        trouble = make_room_after_refusal(stop);
        continue;
      }
      const auto removal = ++media_refusals_ > kSingleRemovals ? Removal::all : Removal::one;
      if (remove_refused_media(*answer.failure, removal)) continue;
      return failed(words_for(*answer.failure, parts_.model.id(), parts_.with_token));
    }
    keep(answer.reply);
    if (over_budget()) {
      return limit("error_max_budget_usd", "budget_exhausted", "", answer.reply.stop_reason);
    }
    if (auto ended = decide(answer.reply, stop)) return ended;
  }
}

/// Everything before the first request.
void Turn::begin() {
  for (const auto& message : messages_) start(message);
  to_name_ = answered_;
  parts_.init.model = parts_.model.id();
  parts_.writer.event(parts_.events.init(parts_.init, answered_));
}

/// The client is told that this message's turn has come.
void Turn::start(const UserMessage& message) {
  if (message.uuid.empty()) return;
  answered_.push_back(message.uuid);
  if (message.started) return;
  parts_.writer.event(parts_.events.command_lifecycle(message.uuid, "started"));
}

void Turn::hear(const UserMessage& message) {
  prompt_uuid_ = message.uuid.empty() ? make_uuid() : message.uuid;
  parts_.conversation.add_user(message.content, prompt_uuid_,
                               message.notification ? synthetic_members() : "");
  if (message.notification) return;
  parts_.kept.add_prompt(message.content);
  if (!parts_.options.replay_user_messages) return;
  UserExtras extras;
  extras.uuid = prompt_uuid_;
  extras.replay = true;
  parts_.writer.event(
      parts_.events.user(message.original.empty() ? message.content : message.original, extras));
}

api::Answer Turn::ask(const std::stop_token& stop) {
  parts_.conversation.limit_media(most_media(window()));
  api::Request request;
  request.shape = parts_.model.shape();
  request.system = parts_.system;
  request.tools = parts_.tools;
  request.messages = parts_.conversation.messages();
  request.user_id = parts_.user_id;
  thinking_display_ = request.shape.thinking_display;
  block_uuids_.clear();
  thinking_since_.reset();
  thinking_tokens_ = 0;
  thinking_told_ = false;
  if (parts_.options.partial_messages) parts_.writer.event(parts_.events.requesting());
  if (!to_request_) to_request_ = since(began_);
  const auto asked = steady_clock::now();
  const auto asked_at = now_utc();
  auto answer = parts_.client->ask(request, *this, stop);
  if (answer.failure) return answer;
  ++requests_;
  parts_.api_time += since(asked);
  if (!first_request_) {
    first_request_ = {duration_cast<Millis>(asked_at.time_since_epoch()).count(),
                      answer.reply.usage.input_tokens, answer.reply.usage.cache_read_input_tokens};
  }
  return answer;
}

bool Turn::fall_back(const api::Failure& failure) {
  const bool overloaded = failure.status == 529 || failure.type == "overloaded_error";
  const auto from = parts_.model.id();
  const auto to = overloaded ? parts_.model.fall_back() : std::nullopt;
  if (!to) return false;
  parts_.writer.event(parts_.events.model_fallback(
      from, *to, fmt::format("{} is overloaded: {} goes on", from, *to)));
  parts_.conversation.drop_thinking();
  return true;
}

void Turn::charge(const api::Reply& reply) {
  usage_ += reply.usage;
  parts_.ledger.add(reply.model.empty() ? parts_.model.id() : reply.model, reply.usage);
}

void Turn::keep(const api::Reply& reply) {
  charge(reply);
  parts_.context.answered(reply.usage);
  auto kept = reply;
  std::erase_if(kept.content, is_empty_text);
  parts_.conversation.add_assistant(kept, block_uuids_);
}

Turn::Ended Turn::decide(const api::Reply& reply, const std::stop_token& stop) {
  const bool calls_tools = std::ranges::any_of(
      reply.content, [](const api::Block& block) { return block.type == "tool_use"; });
  if (calls_tools) return run_tools(reply, stop);
  if (!reply.whole) {
    if (++cuts_ <= kMaxCuts) return nudge(kCutOff);
    return failed(words_for({api::FailureKind::cut,
                             0,
                             "",
                             "the answer broke off again and again",
                             reply.request_id,
                             {},
                             {},
                             {}},
                            reply.model, parts_.with_token));
  }
  switch (step_for(reply.stop_reason)) {
    case Step::go_on: return go_on_after_limit();
    case Step::refuse: return refused(reply);
    case Step::expect_tool: return without_tool(reply);
    case Step::finish: break;
  }
  return finish_or_demand_structure(reply);
}

Turn::Ended Turn::finish_or_demand_structure(const api::Reply& reply) {
  const auto text = last_text(reply);
  if (settings::is_blank(text) && !std::exchange(noted_empty_, true)) return nudge(kEmpty);
  const bool missing = parts_.structured != nullptr && !structured_;
  if (missing && !std::exchange(demanded_structure_, true)) return nudge(kDemandStructure);
  return finished(text, reply.stop_reason);
}

Turn::Ended Turn::go_on_after_limit() {
  if (++continuations_ <= kMaxContinuations) return nudge(kGoOn);
  FailureWords words;
  words.facts.text = fmt::format(
      "API Error: the answer exceeded {} output tokens again and again. "
      "CLAUDE_CODE_MAX_OUTPUT_TOKENS sets the limit.",
      parts_.model.shape().max_tokens);
  words.facts.error = "max_output_tokens";
  words.facts.api_error = "max_output_tokens";
  words.facts.params = R"({"cut":"output_limit"})";
  words.terminal_reason = "api_error";
  return failed(words);
}

Turn::Ended Turn::refused(const api::Reply& reply) {
  ++safety_stops_;
  if (!std::exchange(noted_refusal_, true)) {
    parts_.writer.event(parts_.events.informational(
        "A safety check stopped the answer above; it is asked once more, with that noted"));
    UserExtras extras;
    extras.refused_message_id = reply.id;
    return nudge(kRefused, extras);
  }
  parts_.writer.event(parts_.events.refused(parts_.model.id(), reply, prompt_uuid_));
  FailureWords words;
  words.facts.text = fmt::format(
      "API Error: {}'s safety checks refuse to answer. Rephrase the request in a new session, or "
      "choose another model. Request ID: {}",
      parts_.model.id(), reply.request_id);
  words.facts.error = "invalid_request";
  words.facts.stop_reason = "refusal";
  words.facts.request_id = reply.request_id;
  words.facts.refused_message_id = reply.id;
  words.terminal_reason = "api_error";
  return failed(words);
}

Turn::Ended Turn::without_tool(const api::Reply& reply) {
  if (std::exchange(noted_missing_tool_, true)) {
    return finished(last_text(reply), reply.stop_reason);
  }
  parts_.conversation.retract_answer();
  retracted_ = block_uuids_;
  UserExtras extras;
  extras.retracted = block_uuids_;
  return nudge(kMissingTool, extras);
}

/// A message of ours in the user's name.
Turn::Ended Turn::nudge(std::string_view text, UserExtras extras) {
  const auto content = text_content(text);
  extras.uuid = make_uuid();
  extras.synthetic = true;
  ++added_messages_;
  parts_.conversation.add_user(content, extras.uuid, synthetic_members());
  parts_.writer.event(parts_.events.user(content, extras));
  return std::nullopt;
}

bool Turn::over_budget() const {
  const auto budget = parts_.options.max_budget_usd;
  return budget && parts_.ledger.cost_usd() >= *budget;
}

ResultFacts Turn::finished(std::string_view text, std::string_view stop_reason) {
  ResultFacts facts;
  facts.text = structured_ ? *structured_ : std::string(text);
  facts.structured_output = structured_;
  facts.stop_reason = stop_reason;
  facts.terminal_reason = "completed";
  return with_numbers(std::move(facts));
}

ResultFacts Turn::failed(FailureWords words) {
  words.facts.uuid = make_uuid();
  parts_.conversation.add_error(words.facts);
  parts_.writer.event(parts_.events.api_error(words.facts));
  ResultFacts facts;
  facts.is_error = true;
  facts.text = words.facts.text;
  facts.stop_reason = words.facts.stop_reason;
  facts.terminal_reason = words.terminal_reason;
  facts.api_error_status = words.facts.status;
  facts.api_error_type = words.facts.type;
  facts.api_error = words.facts.api_error;
  return with_numbers(std::move(facts));
}

ResultFacts Turn::limit(std::string subtype, std::string terminal_reason, std::string error,
                        std::string_view stop_reason) {
  if (error.empty()) {
    error = fmt::format("Reached maximum budget (${})", parts_.options.max_budget_usd.value_or(0));
  }
  ResultFacts facts;
  facts.subtype = std::move(subtype);
  facts.is_error = true;
  facts.errors = {std::move(error)};
  facts.stop_reason = stop_reason;
  facts.terminal_reason = std::move(terminal_reason);
  return with_numbers(std::move(facts));
}

/// What was said of the answer stays said: its text, without calls that were never made.
ResultFacts Turn::interrupted(api::Reply reply) {
  const auto open_index = reply.content.size();
  auto shown = open_index;
  if (reply.open && reply.open->type == "text" && !settings::is_blank(reply.open->text)) {
    AssistantExtras extras;
    extras.uuid = make_uuid();
    extras.aborted = true;
    extras.answers = std::exchange(to_name_, {});
    parts_.writer.event(parts_.events.assistant(reply, reply.open->json, extras));
    reply.content.push_back(*reply.open);
    ++shown;
    block_uuids_.push_back(extras.uuid);
  }
  api::Reply said = reply;
  said.content.clear();
  std::vector<std::string> uuids;
  std::erase_if(reply.content, is_empty_text);
  for (std::size_t i = 0; i < reply.content.size(); ++i) {
    if (reply.content[i].type != "text") continue;
    said.content.push_back(reply.content[i]);
    uuids.push_back(block_uuids_.at(i));
  }
  parts_.conversation.add_assistant(said, uuids);

  note_interrupt(kInterrupted);
  close_shown(reply, open_index, shown);
  return limit("error_during_execution", "aborted_streaming", "the turn was interrupted", "");
}

void Turn::note_interrupt(std::string_view text) {
  UserExtras extras;
  extras.uuid = make_uuid();
  ++added_messages_;
  const auto content = text_content(text);
  parts_.conversation.add_user(content, extras.uuid);
  parts_.writer.event(parts_.events.user(content, extras));
}

ResultFacts Turn::with_numbers(ResultFacts facts) const {
  facts.num_turns = 1 + added_messages_;
  facts.usage = usage_;
  facts.total_cost_usd = parts_.ledger.cost_usd();
  facts.model_usage = parts_.ledger.model_usage();
  facts.recent_model_usage = parts_.ledger.since_last_result();
  facts.duration = since(began_);
  facts.api_duration = parts_.api_time;
  facts.first_request = first_request_;
  facts.safety_stops = safety_stops_;
  if (!facts.is_error) {
    facts.to_request = to_request_;
    facts.to_stream = to_stream_;
    facts.to_first_token = to_first_token_;
  }
  facts.denials = "[" + denials_ + "]";
  facts.answers = answered_;
  std::ranges::copy(folded_, std::back_inserter(facts.answers));
  facts.of_task = !messages_.empty() && messages_.front().notification;
  return facts;
}

}  // namespace ralph::session

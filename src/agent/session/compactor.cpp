#include "agent/session/compactor.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "agent/session/failure_text.h"
#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "agent/session/session_hooks.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

constexpr std::int64_t kTokensOfSummary = 8'000;
constexpr std::int64_t kBytesOfToken = 4;
/// A reply without a summary is requested once more.
constexpr int kTries = 2;

constexpr std::string_view kNextSteps =
    "Start a new session with the task and the findings so far, or have tools return less output.";

/// Reports retries, but not the summary while it arrives. Charges replies that broke off.
class SummaryListener final : public api::Listener {
 public:
  explicit SummaryListener(SessionState& state) : state_(state) {}
  void on_retry(const api::Retry& retry) override { state_.events.emit(RequestRetried{retry}); }
  void on_abandoned(const api::Reply& so_far, std::size_t) override {
    if (!so_far.id.empty()) state_.links.ledger.add(so_far.model, so_far.usage);
  }

 private:
  SessionState& state_;
};

CompactTrouble trouble_with(CompactFailure failure, std::string_view what) {
  return {failure, fmt::format("Prompt is too long · {}. {}", what, kNextSteps)};
}

CompactTrouble thrashing() {
  auto trouble = trouble_with(
      CompactFailure::thrashing,
      "the context window filled up again right after the conversation was replaced by a "
      "summary, several times in a row; a file or the output of a tool is too large for it");
  trouble.terminal_reason = TerminalReason::context_thrashing;
  trouble.api_error = ApiErrorCode::context_thrashing;
  return trouble;
}

CompactTrouble switched_off(std::int64_t tokens) {
  auto trouble = trouble_with(
      CompactFailure::disabled,
      fmt::format("the context window is full ({} tokens) and automatic compaction is disabled "
                  "(DISABLE_AUTO_COMPACT, DISABLE_COMPACT or autoCompactEnabled)",
                  tokens));
  trouble.terminal_reason = TerminalReason::compaction_disabled;
  return trouble;
}

}  // namespace

bool Compactor::too_full(std::int64_t tokens) const {
  return tokens >= state_.context.policy().limit(state_.window());
}

/// Without a reply there is nothing to summarize; the API then decides whether the prompt is too long.
Compactor::Trouble Compactor::make_room(std::int64_t for_more, const std::stop_token& stop) {
  const auto tokens = state_.tokens() + for_more;
  const bool large =
      state_.context.policy().automatic() && is_large(state_.conversation.messages());
  if ((!too_full(tokens) && !large) || !state_.conversation.has_answer()) return std::nullopt;
  if (!state_.links.model.available() || state_.over_budget()) return std::nullopt;
  if (!state_.context.policy().automatic()) return switched_off(tokens);
  if (!state_.context.may_compact()) return thrashing();
  return compact({}, stop);
}

Compactor::Trouble Compactor::make_room_after_refusal(const std::stop_token& stop) {
  if (!state_.context.may_compact()) return thrashing();
  return compact({.refused = true}, stop);
}

Compactor::Trouble Compactor::summarize(std::string_view instructions, std::string& summary,
                                        const std::stop_token& stop) {
  return request_summary({.trigger = CompactTrigger::manual, .instructions = instructions}, summary,
                         stop);
}

/// Hooks can add instructions for the summary.
Compactor::Trouble Compactor::ask_hooks(const Order& order, std::string& instructions,
                                        const std::stop_token& stop) {
  const auto answer = before_compaction(state_, order.trigger, instructions, stop);
  if (answer.blocked && stop.stop_requested()) {
    return CompactTrouble{.failure = CompactFailure::cancelled};
  }
  if (answer.blocked || answer.stop) {
    return CompactTrouble{
        .failure = CompactFailure::blocked_by_hook,
        .text = fmt::format("A PreCompact hook blocked the compaction of the conversation: {}",
                            answer.blocked ? answer.reason : *answer.stop),
        .terminal_reason = TerminalReason::hook_stopped};
  }
  for (const auto& text : answer.contexts) {
    instructions += fmt::format("{}{}", instructions.empty() ? "" : "\n", text);
  }
  return std::nullopt;
}

Compactor::Trouble Compactor::request_summary(const Order& order, std::string& summary,
                                              const std::stop_token& stop) {
  std::string instructions(order.instructions);
  if (auto blocked = ask_hooks(order, instructions, stop)) return blocked;
  state_.events.emit(CompactionStarted{order.trigger});
  auto trouble = ask_for_summary({order.trigger, instructions, order.refused}, summary, stop);
  state_.events.emit(
      CompactionEnded{trouble ? std::optional(trouble->failure) : std::optional<CompactFailure>()});
  return trouble;
}

Compactor::Trouble Compactor::compact(const Order& order, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  std::string summary;
  if (auto trouble = request_summary(order, summary, stop)) return trouble;
  replace_conversation(order.trigger, summary, began, stop);
  if (!too_full(state_.conversation.added_tokens())) return std::nullopt;
  return trouble_with(CompactFailure::still_too_long,
                      "even the summary of the conversation fills the context window");
}

/// In bytes of messages. All of them, for the prompt cache, unless they exceed the window.
std::size_t Compactor::room_for_summary() const {
  const auto all = size_of(state_.conversation.messages());
  const auto excess =
      std::max<std::int64_t>(0, state_.tokens() + kTokensOfSummary - state_.window());
  return all - std::min(all, static_cast<std::size_t>(excess * kBytesOfToken));
}

Compactor::Trouble Compactor::ask_for_summary(const Order& order, std::string& summary,
                                              const std::stop_token& stop) {
  auto request = state_.new_request();
  request.is_last = true;
  SummaryListener listener(state_);
  auto& conversation = state_.conversation;
  conversation.limit_media(most_media(state_.window()));
  ShrinkingHistory history(conversation.messages(), room_for_summary(), order.refused);
  for (int tries = 0; tries < kTries;) {
    const auto messages = with_summary_request(history.messages(), order.instructions);
    request.messages = messages;
    const auto asked = std::chrono::steady_clock::now();
    const auto answer = state_.links.model.ask(request, listener, stop);
    if (answer.failure) {
      if (!recover(*answer.failure, order, history)) return trouble_of(*answer.failure);
      request.shape = state_.links.choice.shape();
      continue;
    }
    state_.api_time += since(asked);
    state_.charge(answer.reply);
    summary = summary_in(answer.reply);
    if (!summary.empty()) return std::nullopt;
    ++tries;
  }
  return trouble_with(CompactFailure::no_summary, "the model gave no summary of the conversation");
}

/// Whether the request for a summary is worth another try: with less of the conversation, or with another model.
bool Compactor::recover(const api::Failure& failure, const Order& order,
                        ShrinkingHistory& history) {
  if (failure.kind == api::FailureKind::cancelled) return false;
  if (api::is_too_long(failure) && history.shrink()) return true;
  if (state_.remove_refused_media(failure, Removal::all)) {
    history = {state_.conversation.messages(), room_for_summary(), order.refused};
    return true;
  }
  return state_.fall_back(failure);
}

CompactTrouble Compactor::trouble_of(const api::Failure& failure) const {
  if (failure.kind == api::FailureKind::cancelled) return {.failure = CompactFailure::cancelled};
  const auto report = failure_report(failure, state_.links.choice.id(), state_.config.token_login);
  return trouble_with(CompactFailure::request_failed,
                      fmt::format("summarizing the conversation failed: {}", report.facts.text));
}

void Compactor::replace_conversation(CompactTrigger trigger, std::string_view summary,
                                     SteadyTime began, const std::stop_token& stop) {
  auto& conversation = state_.conversation;
  auto preserved = state_.preserved;
  for (auto& file : preserved.files) {
    file = (std::filesystem::path(state_.config.init.cwd) / file).string();
  }
  const auto text = continuation(summary, preserved);
  const auto content = text_content(text);
  const auto introduction = state_.config.introduction();
  CompactFacts facts;
  facts.uuid = make_uuid();
  facts.trigger = trigger;
  facts.pre_tokens = state_.tokens();
  facts.post_tokens = content_tokens(content);
  for (const auto& part : introduction) facts.post_tokens += content_tokens(part);
  facts.dropped_tokens = state_.context.compacted(facts.pre_tokens, facts.post_tokens);
  facts.duration = since(began);
  facts.logical_parent = conversation.last_uuid();

  conversation.start_over(facts.uuid, boundary_members(facts));
  conversation.transcript().add_system_prompt(state_.config.system);
  conversation.introduce(introduction);
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.synthetic = true;
  const bool manual = trigger == CompactTrigger::manual;
  if (manual) extras.replay = false;
  ++stats_.added_messages;
  conversation.add_user(
      content, extras.uuid,
      "\"isCompactSummary\":true,\"isVisibleInTranscriptOnly\":true," + state_.preserved.members());
  for (const auto& more : session_started(state_, StartSource::compact, stop).contexts) {
    conversation.add_user(text_content(more), make_uuid(), "\"isMeta\":true");
  }
  state_.events.emit(ConversationCompacted{facts});
  state_.events.emit(UserInput{manual ? json_string(text) : content, extras});
}

}  // namespace ralph::session

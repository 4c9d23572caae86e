#include <chrono>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "agent/session/turn.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

constexpr std::int64_t kTokensOfSummary = 8'000;
constexpr std::int64_t kBytesOfToken = 4;
/// An answer without a summary is asked for once more.
constexpr int kTries = 2;

constexpr std::string_view kRemedy =
    "Begin a new session with the task and what is known by now, or let tools return less at once.";

/// The client hears of retries, and nothing of the summary while it grows. What broke off is paid for.
class SummaryListener final : public api::Listener {
 public:
  explicit SummaryListener(TurnParts& parts) : parts_(parts) {}
  void on_retry(const api::Retry& retry) override {
    parts_.writer.event(parts_.events.api_retry(retry));
  }
  void on_abandoned(const api::Reply& so_far, std::size_t) override {
    if (!so_far.id.empty()) parts_.ledger.add(so_far.model, so_far.usage);
  }

 private:
  TurnParts& parts_;
};

CompactTrouble trouble_with(std::string reason, std::string_view what) {
  return {false, std::move(reason), fmt::format("Prompt is too long · {}. {}", what, kRemedy),
          "prompt_too_long", ""};
}

CompactTrouble thrashing() {
  auto trouble = trouble_with(
      "thrashing",
      "the context window was full again right after the conversation had been cut down to a "
      "summary, several times in a row: something that is read or printed is too large for it");
  trouble.terminal_reason = "rapid_refill_breaker";
  trouble.api_error = "autocompact_thrashing";
  return trouble;
}

CompactTrouble switched_off(std::int64_t tokens) {
  auto trouble = trouble_with(
      "disabled",
      fmt::format("the context window is full ({} tokens) and automatic compaction is switched off "
                  "(DISABLE_AUTO_COMPACT, DISABLE_COMPACT or autoCompactEnabled)",
                  tokens));
  trouble.terminal_reason = "blocking_limit";
  return trouble;
}

}  // namespace

std::int64_t Turn::window() const {
  return model::Table::builtin().context_window(parts_.model.id());
}

bool Turn::too_full(std::int64_t tokens) const {
  return tokens >= parts_.context.policy().limit(window());
}

/// Without an answer there is nothing to sum up: the API says whether what is asked is too long.
Turn::Trouble Turn::make_room(std::int64_t for_more, const std::stop_token& stop) {
  const auto tokens = parts_.context.tokens() + parts_.conversation.added_tokens() + for_more;
  const bool large =
      parts_.context.policy().automatic() && is_large(parts_.conversation.messages());
  if ((!too_full(tokens) && !large) || !parts_.conversation.has_answer()) return std::nullopt;
  if (parts_.client == nullptr || over_budget()) return std::nullopt;
  if (!parts_.context.policy().automatic()) return switched_off(tokens);
  if (!parts_.context.may_compact()) return thrashing();
  return compact({.trigger = "auto"}, stop);
}

Turn::Trouble Turn::make_room_after_refusal(const std::stop_token& stop) {
  if (!parts_.context.may_compact()) return thrashing();
  return compact({.trigger = "auto", .refused = true}, stop);
}

Turn::Trouble Turn::sum_up(const SummaryOrder& order, std::string& summary,
                           const std::stop_token& stop) {
  parts_.writer.event(parts_.events.compacting(order.trigger));
  auto trouble = ask_for_summary(order, summary, stop);
  parts_.writer.event(parts_.events.compact_ended(trouble ? trouble->reason : ""));
  return trouble;
}

Turn::Trouble Turn::compact(const SummaryOrder& order, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  std::string summary;
  if (auto trouble = sum_up(order, summary, stop)) return trouble;
  start_over(order.trigger, summary, began);
  if (!too_full(parts_.conversation.added_tokens())) return std::nullopt;
  return trouble_with("still_too_long",
                      "even the summary of the conversation fills the context window");
}

/// In bytes of messages. All of them, for the prompt cache, unless they are more than the window holds.
std::size_t Turn::room_for_summary() const {
  const auto all = size_of(parts_.conversation.messages());
  const auto tokens = parts_.context.tokens() + parts_.conversation.added_tokens();
  const auto excess = std::max<std::int64_t>(0, tokens + kTokensOfSummary - window());
  return all - std::min(all, static_cast<std::size_t>(excess * kBytesOfToken));
}

Turn::Trouble Turn::ask_for_summary(const SummaryOrder& order, std::string& summary,
                                    const std::stop_token& stop) {
  api::Request request;
  request.shape = parts_.model.shape();
  request.system = parts_.system;
  request.tools = parts_.tools;
  request.user_id = parts_.user_id;
  request.is_last = true;
  SummaryListener listener(parts_);
  parts_.conversation.limit_media(most_media(window()));
  ShrinkingHistory history(parts_.conversation.messages(), room_for_summary(), order.refused);
  for (int tries = 0; tries < kTries;) {
    const auto messages = with_summary_request(history.messages(), order.instructions);
    request.messages = messages;
    const auto asked = std::chrono::steady_clock::now();
    const auto answer = parts_.client->ask(request, listener, stop);
    if (answer.failure) {
      if (answer.failure->kind == api::FailureKind::cancelled)
        return CompactTrouble{true, "cancelled", {}, {}, {}};
      if (api::is_too_long(*answer.failure) && history.shrink()) continue;
      if (remove_refused_media(*answer.failure, Removal::all)) {
        history = {parts_.conversation.messages(), room_for_summary(), order.refused};
        continue;
      }
      if (fall_back(*answer.failure)) {
        request.shape = parts_.model.shape();
        continue;
      }
      const auto words = words_for(*answer.failure, parts_.model.id(), parts_.with_token);
      return trouble_with(
          "request_failed",
          fmt::format("the conversation could not be cut down to a summary: {}", words.facts.text));
    }
    parts_.api_time += since(asked);
    parts_.ledger.add(answer.reply.model.empty() ? parts_.model.id() : answer.reply.model,
                      answer.reply.usage);
    summary = summary_in(answer.reply);
    if (!summary.empty()) return std::nullopt;
    ++tries;
  }
  return trouble_with("no_summary", "the model was asked for a summary and gave none");
}

bool Turn::remove_refused_media(const api::Failure& failure, Removal removal) {
  const auto refusal = api::media_refusal(failure);
  if (!refusal) return false;
  const auto removed = parts_.conversation.remove_refused(*refusal, removal);
  if (removed == api::MediaKind::any) return false;
  auto facts = media_removed(*refusal, removed);
  facts.uuid = make_uuid();
  parts_.conversation.add_error(facts);
  parts_.writer.event(parts_.events.api_error(facts));
  return true;
}

void Turn::start_over(std::string_view trigger, std::string_view summary, SteadyTime began) {
  auto& conversation = parts_.conversation;
  auto kept = parts_.kept;
  for (auto& file : kept.files) file = (std::filesystem::path(parts_.init.cwd) / file).string();
  const auto text = continuation(summary, kept);
  const auto content = text_content(text);
  const auto introduction = parts_.introduction();
  CompactFacts facts;
  facts.uuid = make_uuid();
  facts.trigger = trigger;
  facts.pre_tokens = parts_.context.tokens() + conversation.added_tokens();
  facts.post_tokens = content_tokens(content);
  for (const auto& part : introduction) facts.post_tokens += content_tokens(part);
  facts.dropped_tokens = parts_.context.compacted(facts.pre_tokens, facts.post_tokens);
  facts.duration = since(began);
  facts.logical_parent = conversation.last_uuid();

  conversation.start_over(facts.uuid, boundary_members(facts));
  conversation.keep_system_prompt(parts_.system);
  conversation.introduce(introduction);
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.synthetic = true;
  if (trigger == "manual") extras.replay = false;
  ++added_messages_;
  conversation.add_user(
      content, extras.uuid,
      "\"isCompactSummary\":true,\"isVisibleInTranscriptOnly\":true," + parts_.kept.members());
  parts_.writer.event(parts_.events.compact_boundary(facts));
  parts_.writer.event(
      parts_.events.user(trigger == "manual" ? json_string(text) : content, extras));
}

Turn::Ended Turn::stuck(const CompactTrouble& trouble) {
  if (parts_.control.abandoned()) return std::nullopt;
  if (trouble.cancelled) return interrupted({});
  FailureWords words;
  words.facts.text = trouble.text;
  words.facts.error = "invalid_request";
  words.facts.api_error = trouble.api_error;
  words.terminal_reason = trouble.terminal_reason;
  return failed(std::move(words));
}

std::optional<ResultFacts> Turn::run_compact(const std::string& instructions,
                                             const std::stop_token& stop) {
  std::string summary;
  Trouble trouble;
  const bool allowed = parts_.context.policy().on_demand();
  const bool possible = allowed && parts_.conversation.has_answer();
  if (possible && parts_.client != nullptr && !over_budget()) {
    trouble = sum_up({.trigger = "manual", .instructions = instructions}, summary, stop);
  }
  begin();
  if (parts_.client == nullptr) return failed(not_logged_in());
  if (trouble) return stuck(*trouble);
  if (possible && summary.empty()) {
    return limit("error_max_budget_usd", "budget_exhausted", "", "");
  }
  std::string_view said = "Compacted ";
  if (!allowed) said = "Nothing was compacted: DISABLE_COMPACT is set";
  if (allowed && !possible) said = "Nothing was compacted: nothing was answered yet";
  if (possible) start_over("manual", summary, began_);
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.replay = true;
  const auto output = fmt::format("<local-command-stdout>{}</local-command-stdout>", said);
  parts_.writer.event(parts_.events.user(json_string(output), extras));
  ResultFacts facts = with_numbers({});
  facts.num_turns = 0;
  facts.to_request = facts.to_stream = facts.to_first_token = std::nullopt;
  facts.local_command = "compact";
  return facts;
}

Turn::Ended Turn::check_loop() {
  switch (guard_.end_round()) {
    case LoopGuard::Verdict::fine: return std::nullopt;
    case LoopGuard::Verdict::warn:
      return nudge(fmt::format(
          "[loop-guard] The same was done {} times in a row, with the same result: {}. Doing it "
          "again will not change that. Find out why it does not help, try something else, or say "
          "what you are missing and finish.",
          guard_.times(), guard_.repeated()));
    case LoopGuard::Verdict::stop: break;
  }
  FailureWords words;
  words.facts.text = fmt::format(
      "Loop guard: the model did the same {} times in a row, with the same result: {}. The turn "
      "was "
      "ended. Make the task clearer or remove what it is stuck at, then go on with --continue; "
      "--loop-guard N (RALPH_AGENT_LOOP_GUARD) sets how much is too much, 0 switches it off.",
      guard_.times(), guard_.repeated());
  words.facts.error = "loop_guard";
  words.terminal_reason = "loop_guard";
  return failed(std::move(words));
}

}  // namespace ralph::session

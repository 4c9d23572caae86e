#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "agent/session/turn.h"
#include "core/base/id.h"

/// How a turn ends.
namespace ralph::session {
namespace {

constexpr std::string_view kInterruptedReply = "[Request interrupted by user]";
/// A hook that never lets a turn end would cost without limit.
constexpr int kMostPreventedEnds = 8;

}  // namespace

/// Unless a hook makes the model continue.
Turn::Step Turn::end_with(std::string_view text, const api::ReplyStop& stop_reason,
                          const std::stop_token& stop) {
  auto answer = hooks_.before_end(text, stop);
  if (!answer.failed && (!answer.blocked || answer.stop)) return finished(text, stop_reason);
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested()) return interrupted({});
  if (answer.failed) return failed(failed_hook("Stop hook error: " + answer.reason));
  if (++prevented_ends_ > kMostPreventedEnds) {
    return failed(failed_hook(
        fmt::format("A Stop hook prevented the end of the turn {} times without a tool call in "
                    "between; the turn was stopped. Its reason: {}",
                    kMostPreventedEnds, answer.reason)));
  }
  auto step = check_turn_limit(stop_reason);
  if (!std::holds_alternative<GoOn>(step)) return step;
  return nudge("Stop hook feedback:\n" + answer.reason);
}

TurnResult Turn::stopped_by_hook(const api::ReplyStop& stop_reason) {
  TurnResult result;
  result.stop_reason = stop_reason;
  result.terminal_reason = TerminalReason::hook_stopped;
  return with_numbers(std::move(result));
}

/// A hook of a message failed, or wants the turn to end.
Turn::Step Turn::stopped_at_message(const hook::Answer& answer, const std::stop_token& stop) {
  if (state_.links.control.abandoned()) return Abandoned{};
  if (stop.stop_requested()) return interrupted({});
  if (answer.failed) {
    return failed(failed_hook("UserPromptSubmit hook error: " + answer.reason));
  }
  auto result = message_blocked(*answer.stop);
  result.terminal_reason = TerminalReason::hook_stopped;
  return result;
}

/// Returns what the user reads.
std::string Turn::report_blocked(const UserMessage& message, const hook::Answer& answer) const {
  const auto& given = message.original.empty() ? message.content : message.original;
  auto text = fmt::format("UserPromptSubmit operation blocked by hook:\n{}\n\nOriginal prompt: {}",
                          answer.reason, text_of_content(given));
  state_.events.emit(PromptBlocked{text, answer.reason});
  return text;
}

TurnResult Turn::message_blocked(std::string text) {
  TurnResult result;
  result.text = std::move(text);
  result = with_numbers(std::move(result));
  if (stats_.requests == 0) result.num_turns = 0;
  return result;
}

TurnResult Turn::finished(std::string_view text, const api::ReplyStop& stop_reason) {
  TurnResult result;
  const auto& structured = tools_.structured();
  result.text = structured ? *structured : std::string(text);
  result.structured_output = structured;
  result.stop_reason = stop_reason;
  result.terminal_reason = TerminalReason::completed;
  return with_numbers(std::move(result));
}

TurnResult Turn::failed(FailureReport report) {
  report.facts.uuid = make_uuid();
  state_.conversation.transcript().add_error(report.facts);
  state_.events.emit(ErrorReply{report.facts});
  TurnResult result;
  result.is_error = true;
  result.text = report.facts.text;
  result.stop_reason = api::ReplyStop(report.facts.stop_reason);
  result.terminal_reason = report.terminal_reason;
  result.api_error_status = report.facts.status;
  result.api_error_type = report.facts.type;
  result.api_error = report.facts.api_error;
  return with_numbers(std::move(result));
}

TurnResult Turn::limit_reached(ResultSubtype subtype, TerminalReason reason, std::string error,
                               const api::ReplyStop& stop_reason) {
  TurnResult result;
  result.subtype = subtype;
  result.is_error = true;
  result.errors = {std::move(error)};
  result.stop_reason = stop_reason;
  result.terminal_reason = reason;
  return with_numbers(std::move(result));
}

TurnResult Turn::budget_reached(const api::ReplyStop& stop_reason) {
  return limit_reached(
      ResultSubtype::max_budget, TerminalReason::budget_exhausted,
      fmt::format("Reached maximum budget (${})", state_.config.limits.max_budget_usd.value_or(0)),
      stop_reason);
}

/// Keeps the text of the interrupted reply, without calls, which were not made.
TurnResult Turn::interrupted(api::Reply reply) {
  const auto open_index = reply.content.size();
  const auto shown = reporter_.show_open_text(reply);
  api::Reply said = reply;
  said.content.clear();
  std::vector<std::string> uuids;
  std::erase_if(reply.content, is_empty_text);
  for (std::size_t i = 0; i < reply.content.size(); ++i) {
    if (reply.content[i].type != api::BlockType::text) continue;
    said.content.push_back(reply.content[i]);
    uuids.push_back(reporter_.block_uuids().at(i));
  }
  state_.conversation.add_assistant(said, uuids);

  note_interrupt(kInterruptedReply);
  reporter_.close(reply, open_index, shown);
  return limit_reached(ResultSubtype::execution, TerminalReason::aborted_streaming,
                       "the turn was interrupted", {});
}

void Turn::note_interrupt(std::string_view text) {
  UserExtras extras;
  extras.uuid = make_uuid();
  ++stats_.added_messages;
  const auto content = text_content(text);
  state_.conversation.add_user(content, extras.uuid);
  state_.events.emit(UserInput{content, extras});
}

Turn::Step Turn::no_room(const CompactTrouble& trouble) {
  if (state_.links.control.abandoned()) return Abandoned{};
  if (trouble.failure == CompactFailure::cancelled) return interrupted({});
  FailureReport report;
  report.facts.text = trouble.text;
  report.facts.error = api::ErrorName::invalid_request;
  report.facts.api_error = trouble.api_error;
  report.terminal_reason = trouble.terminal_reason;
  return failed(std::move(report));
}

TurnResult Turn::with_numbers(TurnResult result) const {
  stats_.fill(result);
  const auto& ledger = state_.links.ledger;
  result.total_cost_usd = ledger.cost_usd();
  result.totals = ledger.totals();
  result.recent_totals = ledger.since_last_result();
  result.api_duration = state_.api_time;
  result.answers = answered_;
  std::ranges::copy(folded_in_, std::back_inserter(result.answers));
  result.of_task = !messages_.empty() && messages_.front().notification;
  return result;
}

}  // namespace ralph::session

#include "agent/session/turn_end.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

constexpr std::string_view kInterruptedReply = "[Request interrupted by user]";
constexpr std::string_view kInterruptedTools = "[Request interrupted by user for tool use]";

}  // namespace

TurnResult TurnEnd::stopped_by_hook(const api::ReplyStop& stop_reason) {
  TurnResult result;
  result.stop_reason = stop_reason;
  result.terminal_reason = TerminalReason::hook_stopped;
  return with_numbers(std::move(result));
}

TurnResult TurnEnd::blocked(std::string text) {
  TurnResult result;
  result.text = std::move(text);
  result = with_numbers(std::move(result));
  if (stats_.requests == 0) result.num_turns = 0;
  return result;
}

TurnResult TurnEnd::stopped_at_message(std::string text) {
  auto result = blocked(std::move(text));
  result.terminal_reason = TerminalReason::hook_stopped;
  return result;
}

TurnResult TurnEnd::finished(std::string_view text, const api::ReplyStop& stop_reason) {
  TurnResult result;
  const auto& structured = tools_.structured();
  result.text = structured ? *structured : std::string(text);
  result.structured_output = structured;
  result.stop_reason = stop_reason;
  result.terminal_reason = TerminalReason::completed;
  return with_numbers(std::move(result));
}

TurnResult TurnEnd::compacted(std::string_view said) {
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

TurnResult TurnEnd::failed(FailureReport report) {
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

TurnResult TurnEnd::limit_reached(ResultSubtype subtype, TerminalReason reason, std::string error,
                                  const api::ReplyStop& stop_reason) {
  TurnResult result;
  result.subtype = subtype;
  result.is_error = true;
  result.errors = {std::move(error)};
  result.stop_reason = stop_reason;
  result.terminal_reason = reason;
  return with_numbers(std::move(result));
}

TurnResult TurnEnd::budget_reached(const api::ReplyStop& stop_reason) {
  return limit_reached(
      ResultSubtype::max_budget, TerminalReason::budget_exhausted,
      fmt::format("Reached maximum budget (${})", state_.config.limits.max_budget_usd.value_or(0)),
      stop_reason);
}

TurnResult TurnEnd::interrupted(api::Reply reply) {
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

  add_interrupt(kInterruptedReply);
  reporter_.close(reply, open_index, shown);
  return limit_reached(ResultSubtype::execution, TerminalReason::aborted_streaming,
                       "the turn was interrupted", {});
}

TurnResult TurnEnd::interrupted_tools(const api::ReplyStop& stop_reason) {
  add_interrupt(kInterruptedTools);
  return limit_reached(ResultSubtype::execution, TerminalReason::aborted_tools,
                       "the turn was interrupted", stop_reason);
}

void TurnEnd::add_interrupt(std::string_view text) {
  UserExtras extras;
  extras.uuid = make_uuid();
  ++stats_.added_messages;
  const auto content = text_content(text);
  state_.conversation.add_user(content, extras.uuid);
  state_.events.emit(UserInput{content, extras});
}

TurnResult TurnEnd::no_room(const CompactTrouble& trouble) {
  if (trouble.failure == CompactFailure::cancelled) return interrupted({});
  FailureReport report;
  report.facts.text = trouble.text;
  report.facts.error = api::ErrorName::invalid_request;
  report.facts.api_error = trouble.api_error;
  report.terminal_reason = trouble.terminal_reason;
  return failed(std::move(report));
}

TurnResult TurnEnd::with_numbers(TurnResult result) const {
  stats_.fill(result);
  const auto& ledger = state_.links.ledger;
  result.total_cost_usd = ledger.cost_usd();
  result.totals = ledger.totals();
  result.recent_totals = ledger.since_last_result();
  result.api_duration = state_.api_time;
  result.answers = messages_.answered();
  std::ranges::copy(messages_.folded_in(), std::back_inserter(result.answers));
  result.of_task = messages_.of_task();
  return result;
}

}  // namespace ralph::session

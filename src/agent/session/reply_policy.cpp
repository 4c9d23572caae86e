#include "agent/session/reply_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/settings/text.h"

namespace ralph::session {
namespace {

constexpr int kMaxContinuations = 3;
constexpr int kMaxBreaks = 3;

/// What the API says about the end of a reply that calls no tool.
enum class Stop { finished, length_limit, refusal, tool_use };
struct StopRow {
  std::string_view reason;
  Stop stop;
};
constexpr auto kStopRows = std::to_array<StopRow>({
    {"end_turn", Stop::finished},
    {"stop_sequence", Stop::finished},
    {"pause_turn", Stop::finished},
    {"max_tokens", Stop::length_limit},
    {"model_context_window_exceeded", Stop::length_limit},
    {"refusal", Stop::refusal},
    {"tool_use", Stop::tool_use},
});

Stop stop_of(std::string_view reason) {
  const auto* row = std::ranges::find(kStopRows, reason, &StopRow::reason);
  return row == kStopRows.end() ? Stop::finished : row->stop;
}

}  // namespace

std::string_view last_text(const api::Reply& reply) {
  const auto found = std::ranges::find(reply.content.rbegin(), reply.content.rend(),
                                       std::string_view("text"), &api::Block::type);
  return found == reply.content.rend() ? std::string_view() : found->text;
}

NextStep ReplyPolicy::next(const api::Reply& reply, bool structure_missing) {
  const bool calls_tools = std::ranges::any_of(
      reply.content, [](const api::Block& block) { return block.type == "tool_use"; });
  if (calls_tools) return NextStep::run_tools;
  if (!reply.whole) {
    return ++breaks_ <= kMaxBreaks ? NextStep::resume_broken : NextStep::fail_broken;
  }
  switch (stop_of(reply.stop_reason)) {
    case Stop::length_limit:
      return ++continuations_ <= kMaxContinuations ? NextStep::continue_reply
                                                   : NextStep::fail_length;
    case Stop::refusal:
      return std::exchange(noted_refusal_, true) ? NextStep::fail_refused : NextStep::note_refusal;
    case Stop::tool_use:
      return std::exchange(noted_missing_call_, true) ? NextStep::finish : NextStep::ask_for_call;
    case Stop::finished: break;
  }
  return finish_or_demand(reply, structure_missing);
}

NextStep ReplyPolicy::finish_or_demand(const api::Reply& reply, bool structure_missing) {
  if (settings::is_blank(last_text(reply)) && !std::exchange(noted_empty_, true)) {
    return NextStep::ask_for_text;
  }
  if (structure_missing && !std::exchange(demanded_structure_, true)) {
    return NextStep::demand_structure;
  }
  return NextStep::finish;
}

}  // namespace ralph::session

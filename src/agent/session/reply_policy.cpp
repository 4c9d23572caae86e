#include "agent/session/reply_policy.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace ralph::session {
namespace {

constexpr int kMaxContinuations = 3;
constexpr int kMaxBreaks = 3;

}  // namespace

std::string_view last_text(const api::Reply& reply) {
  const auto found = std::ranges::find(reply.content.rbegin(), reply.content.rend(),
                                       api::BlockType::text, &api::Block::type);
  return found == reply.content.rend() ? std::string_view() : found->text;
}

bool is_empty_text(const api::Block& block) {
  return block.type == api::BlockType::text && is_blank(block.text);
}

NextStep ReplyPolicy::next(const api::Reply& reply, bool structure_missing) {
  const bool calls_tools = std::ranges::any_of(reply.content, [](const api::Block& block) {
    return block.type == api::BlockType::tool_use;
  });
  if (calls_tools) return NextStep::run_tools;
  if (!reply.whole) {
    return ++breaks_ <= kMaxBreaks ? NextStep::resume_broken : NextStep::fail_broken;
  }
  using enum api::StopReason;
  switch (reply.stop_reason.reason()) {
    case max_tokens:
    case context_window_exceeded:
      return ++continuations_ <= kMaxContinuations ? NextStep::continue_reply
                                                   : NextStep::fail_length;
    case refusal:
      return std::exchange(noted_refusal_, true) ? NextStep::fail_refused : NextStep::note_refusal;
    case tool_use:
      return std::exchange(noted_missing_call_, true) ? NextStep::finish : NextStep::ask_for_call;
    case end_turn:
    case stop_sequence:
    case pause_turn:
    case other:
    case none: break;
  }
  return finish_or_demand(reply, structure_missing);
}

NextStep ReplyPolicy::finish_or_demand(const api::Reply& reply, bool structure_missing) {
  if (is_blank(last_text(reply)) && !std::exchange(noted_empty_, true)) {
    return NextStep::ask_for_text;
  }
  if (structure_missing && !std::exchange(demanded_structure_, true)) {
    return NextStep::demand_structure;
  }
  return NextStep::finish;
}

}  // namespace ralph::session

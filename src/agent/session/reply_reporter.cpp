#include "agent/session/reply_reporter.h"

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "agent/session/reply_policy.h"
#include "core/base/id.h"
#include "core/base/text.h"

namespace ralph::session {
namespace {

/// About four characters a token.
std::int64_t estimated_tokens(std::string_view text) {
  return static_cast<std::int64_t>((text.size() + 3) / 4);
}

std::string block_stop(std::size_t index) {
  return fmt::format(R"({{"type":"content_block_stop","index":{}}})", index);
}

}  // namespace

void ReplyReporter::start_reply(std::string_view thinking_display) {
  thinking_display_ = thinking_display;
  block_uuids_.clear();
  thinking_since_.reset();
  thinking_tokens_ = 0;
  thinking_reported_ = false;
}

void ReplyReporter::on_thinking(std::string_view text) {
  thinking_reported_ = true;
  if (!thinking_since_) thinking_since_ = std::chrono::steady_clock::now();
  if (text.empty()) return;
  const auto delta = estimated_tokens(text);
  thinking_tokens_ += delta;
  state_.events.emit(ThinkingProgress{thinking_tokens_, delta});
}

void ReplyReporter::on_block(const api::Reply& so_far, const api::Block& block) {
  if (is_empty_text(block)) return;
  if (!stats_.to_first_token) stats_.to_first_token = since(stats_.began);
  AssistantExtras extras;
  extras.uuid = make_uuid();
  extras.answers = std::exchange(to_name_, {});
  extras.supersedes = std::exchange(retracted_, {});
  if (block.type == api::BlockType::thinking) {
    extras.thinking_duration = thinking_since_ ? since(*thinking_since_) : Millis{0};
    extras.thinking_display = thinking_display_;
    thinking_since_.reset();
  }
  block_uuids_.push_back(extras.uuid);
  state_.events.emit(ReplyBlock{so_far, block.json, extras});
}

void ReplyReporter::on_event(const api::Reply& so_far, const api::StreamEvent& event) {
  const bool starts = event.type == api::EventType::message_start;
  if (starts && !stats_.to_stream) stats_.to_stream = since(stats_.began);
  if (event.type == api::EventType::block_delta && !stats_.to_first_token) {
    stats_.to_first_token = since(stats_.began);
  }
  if (!state_.config.partial_messages) return;
  ReplyProgress progress{so_far.id, event.json};
  if (starts) progress.time_to_first_token = since(stats_.began);
  const bool thinks =
      std::exchange(thinking_reported_, false) || event.starts == api::BlockType::thinking;
  if (starts || thinks) progress.thinking_display = thinking_display_;
  state_.events.emit(progress);
}

/// Clients that show deltas must discard the broken reply. Its tokens are charged.
void ReplyReporter::on_abandoned(const api::Reply& so_far, std::size_t index) {
  if (!so_far.id.empty()) {
    stats_.usage += so_far.usage;
    state_.charge(so_far);
  }
  block_uuids_.clear();
  thinking_since_.reset();
  thinking_tokens_ = 0;
  if (!state_.config.partial_messages) return;
  if (so_far.open) {
    state_.events.emit(ReplyProgress{so_far.id, block_stop(so_far.content.size())});
  }
  end_message(so_far, index);
}

/// Ends a message for clients that saw it arrive; they discard its blocks from `index` on.
void ReplyReporter::end_message(const api::Reply& reply, std::size_t index) const {
  ReplyProgress end{reply.id, R"({"type":"message_stop"})"};
  end.abandoned_from = index;
  state_.events.emit(end);
}

std::size_t ReplyReporter::show_open_text(api::Reply& reply) {
  if (!reply.open || reply.open->type != api::BlockType::text || is_blank(reply.open->text)) {
    return reply.content.size();
  }
  AssistantExtras extras;
  extras.uuid = make_uuid();
  extras.aborted = true;
  extras.answers = std::exchange(to_name_, {});
  state_.events.emit(ReplyBlock{reply, reply.open->json, extras});
  reply.content.push_back(*reply.open);
  block_uuids_.push_back(extras.uuid);
  return reply.content.size();
}

void ReplyReporter::close(const api::Reply& reply, std::size_t open_index,
                          std::size_t shown) const {
  if (!state_.config.partial_messages || reply.id.empty()) return;
  if (reply.open) state_.events.emit(ReplyProgress{reply.id, block_stop(open_index)});
  const auto delta =
      R"({"type":"message_delta","context_management":null,"delta":)"
      R"({"container":null,"stop_details":null,"stop_reason":null,"stop_sequence":null},"usage":)" +
      usage_so_far_json(reply.usage) + "}";
  state_.events.emit(ReplyProgress{reply.id, delta});
  end_message(reply, shown);
}

void ReplyReporter::on_retry(const api::Retry& retry) { state_.events.emit(RequestRetried{retry}); }

}  // namespace ralph::session

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "agent/session/turn.h"
#include "agent/settings/text.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

/// About four characters a token.
std::int64_t estimated_tokens(std::string_view text) {
  return static_cast<std::int64_t>((text.size() + 3) / 4);
}

}  // namespace

void Turn::on_thinking(std::string_view text) {
  thinking_told_ = true;
  if (!thinking_since_) thinking_since_ = std::chrono::steady_clock::now();
  if (text.empty()) return;
  const auto delta = estimated_tokens(text);
  thinking_tokens_ += delta;
  parts_.writer.event(parts_.events.thinking_tokens(thinking_tokens_, delta));
}

void Turn::on_block(const api::Reply& so_far, const api::Block& block) {
  if (block.type == "text" && settings::is_blank(block.text)) return;
  if (!to_first_token_) to_first_token_ = since(began_);
  AssistantExtras extras;
  extras.uuid = make_uuid();
  extras.answers = std::exchange(to_name_, {});
  extras.supersedes = std::exchange(retracted_, {});
  if (block.type == "thinking") {
    extras.thinking_duration = thinking_since_ ? since(*thinking_since_) : Millis{0};
    extras.thinking_display = thinking_display_;
    thinking_since_.reset();
  }
  block_uuids_.push_back(extras.uuid);
  parts_.writer.event(parts_.events.assistant(so_far, block.json, extras));
}

void Turn::on_event(const api::Reply& so_far, std::string_view type, std::string_view json) {
  const bool starts = type == "message_start";
  if (starts && !to_stream_) to_stream_ = since(began_);
  if (type == "content_block_delta" && !to_first_token_) to_first_token_ = since(began_);
  if (!parts_.options.partial_messages) return;
  std::string members;
  if (starts) members = fmt::format(",\"ttft_ms\":{}", since(began_).count());
  const bool thinks = std::exchange(thinking_told_, false) ||
                      (type == "content_block_start" && json.contains(R"("type":"thinking")"));
  if ((starts || thinks) && !thinking_display_.empty()) {
    members += ",\"thinking_display\":";
    json::append_string(members, thinking_display_);
  }
  parts_.writer.event(parts_.events.stream_event(so_far.id, json, members));
}

/// Who shows deltas must take back what it showed of the broken answer. It is paid for.
void Turn::on_abandoned(const api::Reply& so_far, std::size_t index) {
  if (!so_far.id.empty()) charge(so_far);
  block_uuids_.clear();
  thinking_since_.reset();
  thinking_tokens_ = 0;
  if (!parts_.options.partial_messages) return;
  if (so_far.open) {
    parts_.writer.event(parts_.events.stream_event(
        so_far.id,
        fmt::format(R"({{"type":"content_block_stop","index":{}}})", so_far.content.size()), ""));
  }
  end_shown(so_far, index);
}

/// The end of a message that was shown as it grew; its blocks from `index` on count no more.
void Turn::end_shown(const api::Reply& reply, std::size_t index) {
  std::string abandoned;
  json::ObjectWriter(abandoned)
      .text("api_message_id", reply.id)
      .number("from_block_index", static_cast<std::int64_t>(index))
      .close();
  parts_.writer.event(parts_.events.stream_event(reply.id, R"({"type":"message_stop"})",
                                                 ",\"abandoned_blocks\":" + abandoned));
}

/// What an interrupted answer still lacks for those who were shown its beginning: the end of its open block, and its
/// own behind the `shown` blocks that stay.
void Turn::close_shown(const api::Reply& reply, std::size_t open_index, std::size_t shown) {
  if (!parts_.options.partial_messages || reply.id.empty()) return;
  const auto show = [&](std::string_view event) {
    parts_.writer.event(parts_.events.stream_event(reply.id, event, ""));
  };
  if (reply.open) {
    show(fmt::format(R"({{"type":"content_block_stop","index":{}}})", open_index));
  }
  show(
      R"({"type":"message_delta","context_management":null,"delta":)"
      R"({"container":null,"stop_details":null,"stop_reason":null,"stop_sequence":null},"usage":)" +
      usage_so_far_json(reply.usage) + "}");
  end_shown(reply, shown);
}

void Turn::on_retry(const api::Retry& retry) {
  parts_.writer.event(parts_.events.api_retry(retry));
}

}  // namespace ralph::session

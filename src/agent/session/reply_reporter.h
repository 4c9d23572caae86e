#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/client.h"
#include "agent/session/session_state.h"
#include "agent/session/turn_stats.h"

namespace ralph::session {

/// Reports the replies of a turn while they arrive.
class ReplyReporter final : public api::Listener {
 public:
  ReplyReporter(SessionState& state, TurnStats& stats) : state_(state), stats_(stats) {}

  /// The next reply event names these messages as answered.
  void set_answered(const MessageIds& messages) { to_name_ = messages; }
  void start_reply(std::string_view thinking_display);
  /// The next reply supersedes the last one.
  void retract() { retracted_ = block_uuids_; }
  /// The uuids of the last reply's events, one per block.
  const std::vector<std::string>& block_uuids() const { return block_uuids_; }
  /// For an interrupted reply: reports the open text block and appends it to the complete ones. Returns the number of
  /// reported blocks.
  std::size_t show_open_text(api::Reply& reply);
  /// For an interrupted reply: sends clients that saw it arrive the end of its open block and of the message; its first
  /// `shown` blocks stay.
  void close(const api::Reply& reply, std::size_t open_index, std::size_t shown) const;

 private:
  void on_thinking(std::string_view text) override;
  void on_block(const api::Reply& so_far, const api::Block& block) override;
  void on_event(const api::Reply& so_far, const api::StreamEvent& event) override;
  void on_abandoned(const api::Reply& so_far, std::size_t index) override;
  void on_retry(const api::Retry& retry) override;
  void end_message(const api::Reply& reply, std::size_t index) const;

  SessionState& state_;
  TurnStats& stats_;
  MessageIds to_name_;
  std::vector<std::string> block_uuids_;
  std::vector<std::string> retracted_;
  std::int64_t thinking_tokens_ = 0;
  std::optional<SteadyTime> thinking_since_;
  bool thinking_reported_ = false;  // the next event is about thinking
  std::string thinking_display_;
};

}  // namespace ralph::session

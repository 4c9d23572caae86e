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

/// Reports the replies of a turn while they come.
class ReplyReporter final : public api::Listener {
 public:
  ReplyReporter(SessionState& state, TurnStats& stats) : state_(state), stats_(stats) {}

  /// The next event of a reply names the messages it answers.
  void set_answered(const MessageIds& messages) { to_name_ = messages; }
  void start_reply(std::string_view thinking_display);
  /// Takes the last reply back; the next one says so.
  void retract() { retracted_ = block_uuids_; }
  /// The events of the last reply, block by block.
  const std::vector<std::string>& block_uuids() const { return block_uuids_; }
  /// An interrupted reply: reports the text that was still growing and appends it to the whole blocks. Returns how many
  /// blocks were shown.
  std::size_t show_open_text(api::Reply& reply);
  /// What an interrupted reply still lacks for clients that saw it grow: the end of its open block, and its own behind the
  /// `shown` blocks that stay.
  void close(const api::Reply& reply, std::size_t open_index, std::size_t shown) const;

 private:
  void on_thinking(std::string_view text) override;
  void on_block(const api::Reply& so_far, const api::Block& block) override;
  void on_event(const api::Reply& so_far, std::string_view type, std::string_view json) override;
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
  bool thinking_reported_ = false;  // the event that comes is about thinking
  std::string thinking_display_;
};

}  // namespace ralph::session

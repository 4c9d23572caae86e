#pragma once
#include <string>
#include <string_view>

namespace ralph::api {

/// Why a reply ended.
enum class StopReason {
  none,  // the API has not reported one
  end_turn,
  stop_sequence,
  pause_turn,
  max_tokens,
  context_window_exceeded,
  refusal,
  tool_use,
  other,  // unknown to ralph
};

/// The stop reason of a reply. An unknown one keeps the API's word, which is passed on to clients.
class ReplyStop {
 public:
  ReplyStop() = default;
  explicit ReplyStop(StopReason reason) : reason_(reason) {}
  /// `word`: as the API writes it; empty: none.
  static ReplyStop parse(std::string_view word);

  StopReason reason() const { return reason_; }
  bool reported() const { return reason_ != StopReason::none; }
  /// As the API writes it; empty: none.
  std::string_view word() const;

  bool operator==(const ReplyStop&) const = default;

 private:
  StopReason reason_ = StopReason::none;
  std::string unknown_;  // the word, for `other`
};

}  // namespace ralph::api

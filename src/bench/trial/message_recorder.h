#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/execution.h"
#include "harness/stream/handler.h"

namespace ralph::trial {

/// The normalised copy of a conversation stops here.
inline constexpr std::size_t kMostCaptured = 10'485'760;
inline constexpr std::string_view kTruncated = "\n[OUTPUT TRUNCATED: Exceeded 10MB limit]";
inline constexpr std::string_view kTruncatedError = "Output exceeded 10MB limit and was truncated";

/// Collects the messages of a run from its events, up to `most` bytes of content.
class MessageRecorder final : public stream::Handler {
 public:
  explicit MessageRecorder(UtcTime start, std::size_t most = kMostCaptured)
      : start_(start), left_(most) {}

  /// A message that is not an event.
  void add(Message::Role role, std::string_view content);
  void on(const stream::Event&, const stream::Text&) override;
  void on(const stream::Event&, const stream::ToolCall&) override;
  void on(const stream::Event&, const stream::ToolResult&) override;

  std::vector<Message> take() { return std::move(messages_); }
  bool truncated() const { return truncated_; }
  bool has_answer() const { return has_answer_; }

 private:
  Message& begin(const stream::Event& event, Message::Role role);
  std::string bounded(std::string_view text);

  UtcTime start_;
  std::size_t left_;
  std::vector<Message> messages_;
  std::string message_id_;  // of the last assistant message
  bool truncated_ = false;
  bool has_answer_ = false;
};

}  // namespace ralph::trial

#include "bench/trial/message_recorder.h"

#include "core/base/utf8.h"

namespace ralph::trial {

std::string_view to_string(Message::Role role) {
  switch (role) {
    case Message::Role::system: return "system";
    case Message::Role::user: return "user";
    case Message::Role::assistant: return "assistant";
    case Message::Role::tool: return "tool";
  }
  return "system";
}

/// What still fits; the first text that does not fit is cut and marked, further ones are empty.
std::string MessageRecorder::bounded(std::string_view text) {
  if (text.size() <= left_) {
    left_ -= text.size();
    return std::string(text);
  }
  std::string cut(utf8::prefix(text, left_));
  left_ = 0;
  if (!truncated_) cut += kTruncated;
  truncated_ = true;
  return cut;
}

void MessageRecorder::add(Message::Role role, std::string_view content) {
  messages_.push_back({role, bounded(content), now_utc()});
}

Message& MessageRecorder::begin(const stream::Event& event, Message::Role role) {
  auto& message = messages_.emplace_back();
  message.role = role;
  message.time = start_ + Millis(event.t_ms);
  message.parent = event.parent;
  return message;
}

void MessageRecorder::on(const stream::Event& event, const stream::Text& text) {
  if (text.delta || truncated_) return;
  has_answer_ = true;
  const bool same = !messages_.empty() && messages_.back().role == Message::Role::assistant &&
                    messages_.back().calls.empty() && !text.message_id.empty() &&
                    text.message_id == message_id_ && messages_.back().parent == event.parent;
  message_id_ = text.message_id;
  if (same) {
    messages_.back().content += bounded(text.text);
  } else {
    begin(event, Message::Role::assistant).content = bounded(text.text);
  }
}

/// Belongs to the assistant's message before it.
void MessageRecorder::on(const stream::Event& event, const stream::ToolCall& call) {
  if (truncated_) return;
  has_answer_ = true;
  const bool follows = !messages_.empty() && messages_.back().role == Message::Role::assistant &&
                       messages_.back().parent == event.parent;
  auto& message = follows ? messages_.back() : begin(event, Message::Role::assistant);
  message.calls.push_back(
      {std::string(call.call_id), std::string(call.name), bounded(call.input.text)});
}

void MessageRecorder::on(const stream::Event& event, const stream::ToolResult& result) {
  if (truncated_) return;
  auto& message = begin(event, Message::Role::tool);
  message.content = bounded(result.output);
  message.call_id = result.call_id;
}

}  // namespace ralph::trial

#include "agent/wire/session_meter.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

using json::Document;

std::int64_t lines_of_text(std::string_view text) {
  const auto ends = std::ranges::count(text, '\n');
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

void SessionMeter::emit(const session::Identity& from, const session::Event& event) {
  if (from.parent_tool_use_id().empty()) count(event);
  if (const auto* input = std::get_if<session::UserInput>(&event)) {
    count_lines(input->extras.tool_use_result);
  }
  next_.emit(from, event);
}

void SessionMeter::measure() {
  const auto fixed = fixed_tokens_();
  const std::lock_guard lock(mutex_);
  reading_.fixed = fixed;
}

SessionReading SessionMeter::read() const {
  const std::lock_guard lock(mutex_);
  return reading_;
}

void SessionMeter::count(const session::Event& event) {
  if (std::holds_alternative<session::TurnStarted>(event)) measure();
  const std::lock_guard lock(mutex_);
  if (const auto* block = std::get_if<session::ReplyBlock>(&event)) {
    reading_.last_request = block->reply.usage;
    reading_.context_tokens = block->reply.usage.context_tokens();
  }
  if (const auto* compacted = std::get_if<session::ConversationCompacted>(&event)) {
    reading_.context_tokens = compacted->facts.post_tokens;
  }
  if (const auto* ended = std::get_if<session::TurnEnded>(&event)) {
    reading_.api_time = std::max(reading_.api_time, ended->result.api_duration);
  }
  if (std::holds_alternative<session::ConversationReset>(event)) {
    reading_ = SessionReading{.last_request = {}, .fixed = reading_.fixed};
  }
}

/// Of the changes that Edit and Write report.
void SessionMeter::count_lines(std::string_view tool_use_result) {
  if (!tool_use_result.contains("\"structuredPatch\"")) return;
  const auto parsed = json::parse(tool_use_result);
  if (!parsed) return;
  std::int64_t added = 0, removed = 0;
  if (json::text(*parsed, "type") == "create")
    added = lines_of_text(json::text(*parsed, "content"));
  for (const auto& hunk : json::member(*parsed, "structuredPatch")) {
    for (const auto& line : json::texts(hunk, "lines")) {
      added += line.starts_with('+') ? 1 : 0;
      removed += line.starts_with('-') ? 1 : 0;
    }
  }
  const std::lock_guard lock(mutex_);
  reading_.lines_added += added;
  reading_.lines_removed += removed;
}

}  // namespace ralph::wire

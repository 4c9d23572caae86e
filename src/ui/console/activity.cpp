#include "ui/console/activity.h"

#include <fmt/core.h>

#include "core/base/utf8.h"
#include "ui/console/figures.h"

namespace ralph::console {
namespace {

constexpr std::size_t kMostTools = 16;
constexpr std::size_t kLongestId = 300;

std::string pause_text(Millis pause) {
  constexpr Millis kSecond{1000};
  return pause < kSecond ? format_duration(pause) : short_duration(pause + kSecond / 2);
}

}  // namespace

bool has_no_cause(const stream::Retry& retry) {
  return retry.message.empty() && !retry.http_status;
}

std::string retry_text(const stream::Retry& retry) {
  std::string text = fmt::format("API retry {}", retry.attempt);
  if (retry.max) text += fmt::format("/{}", *retry.max);
  if (retry.delay_ms) text += " in " + pause_text(Millis(*retry.delay_ms));
  text += fmt::format(": {}", has_no_cause(retry)     ? "no cause given by the agent"
                              : retry.message.empty() ? to_string(retry.error_class)
                                                      : retry.message);
  if (retry.http_status) text += fmt::format(" ({})", *retry.http_status);
  return text;
}

Activity::Activity(std::function<std::string(std::string_view)> shown) : shown_(std::move(shown)) {}

Activity::Now Activity::now() const {
  if (!tools_.empty()) return {Kind::tool, tools_.back().text, tools_.back().since_ms};
  if (!retrying_.empty()) return {Kind::retry, retrying_, last_ms_};
  return {Kind::model, {}, last_ms_};
}

void Activity::clear() {
  tools_.clear();
  retrying_.clear();
  last_ms_ = 0;
}

void Activity::on_any(const stream::Event& event) { last_ms_ = event.t_ms; }

void Activity::on(const stream::Event&, const stream::Text&) { retrying_.clear(); }
void Activity::on(const stream::Event&, const stream::Thinking&) { retrying_.clear(); }

void Activity::on(const stream::Event& event, const stream::ToolCall& call) {
  retrying_.clear();
  if (tools_.size() >= kMostTools) tools_.erase(tools_.begin());
  auto text = shown_(call.name);
  if (const auto detail = shown_(call.detail); !detail.empty()) text += ": " + detail;
  tools_.push_back(
      {std::string(utf8::prefix(call.call_id, kLongestId)), std::move(text), event.t_ms});
}

void Activity::on(const stream::Event&, const stream::ToolResult& result) {
  const auto id = utf8::prefix(result.call_id, kLongestId);
  std::erase_if(tools_, [&](const Tool& tool) { return tool.call_id == id; });
}

void Activity::on(const stream::Event&, const stream::Retry& retry) {
  retrying_ = shown_(retry_text(retry));
}

void Activity::on(const stream::Event&, const stream::TurnEnded&) { tools_.clear(); }

}  // namespace ralph::console

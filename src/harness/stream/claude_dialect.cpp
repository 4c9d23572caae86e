#include <algorithm>
#include <array>
#include <span>

#include <fmt/core.h>

#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "harness/stream/claude_impl.h"

namespace ralph::stream {
std::optional<std::int64_t> unix_seconds(std::optional<std::int64_t> value) {
  constexpr std::int64_t kLatest = 100'000'000'000;  // the year 5138
  if (value && *value >= kLatest) value = *value / 1000;
  return value && *value > 0 && *value < kLatest ? value : std::nullopt;
}

std::unique_ptr<Dialect> make_claude_dialect(std::string display_name) {
  return std::make_unique<ClaudeDialect>("claude", std::move(display_name));
}

std::unique_ptr<Dialect> make_own_dialect(std::string display_name) {
  return std::make_unique<ClaudeDialect>("builtin", std::move(display_name));
}

ClaudeDialect::Method ClaudeDialect::find(std::span<const Row> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? nullptr : row->method;
}

std::string_view ClaudeDialect::keep(std::string text) {
  kept_.push_back(std::move(text));
  return kept_.back();
}

LineStatus ClaudeDialect::decode(std::string_view text, PayloadSink& sink) {
  static constexpr std::array kTypes = std::to_array<Row>({
      {"stream_event", &ClaudeDialect::stream_event},
      {"assistant", &ClaudeDialect::assistant},
      {"user", &ClaudeDialect::user},
      {"system", &ClaudeDialect::system},
      {"result", &ClaudeDialect::result},
      {"tool_progress", &ClaudeDialect::tool_progress},
      {"rate_limit_event", &ClaudeDialect::rate_limit_event},
      {"command_lifecycle", &ClaudeDialect::command_lifecycle},
      {"conversation_reset", &ClaudeDialect::conversation_reset},
      {"control_request", &ClaudeDialect::control},
      {"control_cancel_request", &ClaudeDialect::control},
      {"control_response", &ClaudeDialect::control},
  });
  kept_.clear();
  if (is_blank(text, " \t\r\v\f")) return LineStatus::blank;
  const View root = parser_.parse(text);
  if (!root.is_object())
    return is_terminal_control(text) ? LineStatus::blank : LineStatus::malformed;
  const Line line{root, text, sink, root["parent_tool_use_id"].text()};
  const auto method = find(kTypes, root["type"].text());
  (this->*(method == nullptr ? &ClaudeDialect::unknown : method))(line);
  return LineStatus::decoded;
}

void ClaudeDialect::unknown(const Line& line) {
  const auto type = line.root["type"].text();
  const auto subtype = line.root["subtype"].text();
  line.emit(Unknown{subtype.empty() ? type : keep(fmt::format("{}/{}", type, subtype)),
                    RawJson{line.text}});
}

void ClaudeDialect::system(const Line& line) {
  const auto method = find(system_rows(), line.root["subtype"].text());
  (this->*(method == nullptr ? &ClaudeDialect::unknown : method))(line);
}

void ClaudeDialect::tool_progress(const Line& line) {
  // A heartbeat's own id has a suffix; the call it speaks of is named as its parent.
  const bool heartbeat = line.root["heartbeat"].truth();
  const auto call = line.root[heartbeat ? "parent_tool_use_id" : "tool_use_id"].text();
  const auto seconds = line.root["elapsed_time_seconds"].integer();
  line.sink.emit({}, ToolOutput{call, "progress", keep(fmt::format("running for {} s", seconds))});
}

void ClaudeDialect::rate_limit_event(const Line& line) {
  const auto info = line.root["rate_limit_info"];
  const auto status = info["status"].text();
  const auto window = info["rateLimitType"].text();
  const auto resets_at = unix_seconds(info["resetsAt"].maybe_integer());
  std::string message = fmt::format("rate limit {}", status);
  if (!window.empty()) message += fmt::format(", window {}", window);
  if (const auto used = info["utilization"].maybe_real()) {
    message += fmt::format(", {:.0f} % used", *used * 100);
  }
  if (resets_at) message += ", resets at " + iso_utc(UtcTime(std::chrono::seconds(*resets_at)));
  if (status == "rejected") {
    line.emit(ErrorEvent{ErrorClass::rate_limit, keep(message), {}, resets_at, {}, {}});
  } else {
    line.note(status == "allowed" ? Level::debug : Level::warning, "rate_limit", keep(message),
              resets_at);
  }
}

void ClaudeDialect::command_lifecycle(const Line& line) {
  line.note(Level::debug, "input",
            keep(fmt::format("message {} {}", line.root["command_uuid"].text(),
                             line.root["state"].text())));
}

void ClaudeDialect::conversation_reset(const Line& line) {
  line.note(Level::info, "conversation_reset", "the conversation was cleared");
}

void ClaudeDialect::control(const Line& line) {
  const auto type = line.root["type"].text();
  const auto body = line.root[type == "control_response" ? "response" : "request"];
  line.note(Level::debug, type, body["subtype"].text());
}

}  // namespace ralph::stream

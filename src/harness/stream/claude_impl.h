#pragma once
// Private to the claude_*.cpp files: the dialect's state and the pieces it is made of.
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "harness/stream/dialect.h"
#include "harness/stream/dom_parser_impl.h"

namespace ralph::stream {

/// A tool call that has no result yet.
struct OpenCall {
  std::string name;
  bool denied = false;
};

class ClaudeDialect final : public Dialect {
 public:
  ClaudeDialect(std::string_view agent, std::string display_name)
      : agent_(agent), display_name_(std::move(display_name)) {}
  std::string_view agent() const override { return agent_; }
  std::string_view display_name() const override { return display_name_; }
  LineStatus decode(std::string_view line, PayloadSink& sink) override;

 private:
  /// The line being decoded.
  struct Line {
    View root;
    std::string_view text;
    PayloadSink& sink;
    std::string_view parent;

    void emit(const Payload& payload) const { sink.emit(parent, payload); }
    void note(Level level, std::string_view topic, std::string_view message,
              std::optional<std::int64_t> value = {}) const {
      emit(Notice{level, topic, message, value});
    }
  };
  using Method = void (ClaudeDialect::*)(const Line&);
  struct Row {
    std::string_view name;
    Method method;
  };
  static Method find(std::span<const Row> rows, std::string_view name);

  /// Text that lives as long as the payloads of this line.
  std::string_view keep(std::string text);

  // claude_dialect.cpp: by type
  void unknown(const Line& line);
  void system(const Line& line);
  void tool_progress(const Line& line);
  void rate_limit_event(const Line& line);
  void command_lifecycle(const Line& line);
  void conversation_reset(const Line& line);
  void control(const Line& line);

  // claude_system.cpp: by subtype
  static std::span<const Row> system_rows();
  void init(const Line& line);
  void status(const Line& line);
  void api_retry(const Line& line);
  void thinking_tokens(const Line& line);
  void permission_denied(const Line& line);
  void hook(const Line& line);
  void task(const Line& line);
  void background_tasks(const Line& line);
  void compact_boundary(const Line& line);
  void informational(const Line& line);
  void writes_lost(const Line& line);
  void model_change(const Line& line);
  void detail_only(const Line& line);

  // claude_messages.cpp
  void assistant(const Line& line);
  void assistant_error(const Line& line);
  void tool_call(const Line& line, View block, std::string_view raw);
  void user(const Line& line);
  void tool_result(const Line& line, View block, const std::set<std::string_view>& rejected);
  void stream_event(const Line& line);
  void block_delta(const Line& line, View delta);
  std::string_view result_text(View content);

  // claude_result.cpp
  void result(const Line& line);
  void model_usage(const Line& line);
  std::string_view denials(const Line& line);
  std::string_view error_text(const Line& line);

  std::string_view agent_;
  std::string display_name_;
  DomParser parser_;
  std::deque<std::string> kept_;
  std::map<std::string, OpenCall, std::less<>> calls_;
  std::string session_id_;
  std::string usage_of_;  // message whose first usage was reported
  Tokens request_;        // of the message that streams
  std::string request_model_;
  std::int64_t turns_ = 0;
};

/// Seconds since 1970 from a number that may be in milliseconds; none if it is not a plausible time.
std::optional<std::int64_t> unix_seconds(std::optional<std::int64_t> value);

/// The class of an error that Claude names, or of the HTTP status.
ErrorClass classify_error(std::string_view word, std::optional<std::int64_t> http_status);

/// Whether an error message of Claude says what to do about it.
bool says_remedy(std::string_view message);

/// An open call's key: its id, cut to a sane length.
std::string call_key(std::string_view call_id);

/// "usage" of an API message.
Tokens read_usage(View usage);

}  // namespace ralph::stream

#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/api/usage.h"
#include "agent/session/event.h"
#include "core/base/time.h"

namespace ralph::wire {

/// The parts of every request, estimated.
struct FixedTokens {
  std::int64_t system = 0, tools = 0;
};

/// What clients ask about a session while it works.
struct SessionReading {
  std::optional<api::Usage> last_request;  // nullopt: none since the conversation began
  std::int64_t context_tokens = 0;         // of the last request, or after a compaction
  FixedTokens fixed;
  std::int64_t lines_added = 0, lines_removed = 0;
  Millis api_time{0};
};

/// Passes the events of all sessions on, and reads what it counts from those of the main session. Thread-safe.
class SessionMeter final : public session::EventSink {
 public:
  /// `fixed_tokens` is called by measure(), and on the session's thread when a turn starts.
  SessionMeter(session::EventSink& next, std::function<FixedTokens()> fixed_tokens)
      : next_(next), fixed_tokens_(std::move(fixed_tokens)) {}

  void emit(const session::Identity& from, const session::Event& event) override;
  void measure();
  SessionReading read() const;

 private:
  void count(const session::Event& event);
  void count_lines(std::string_view tool_use_result);

  session::EventSink& next_;
  std::function<FixedTokens()> fixed_tokens_;
  mutable std::mutex mutex_;
  SessionReading reading_;
};

}  // namespace ralph::wire

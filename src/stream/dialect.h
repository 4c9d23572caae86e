#pragma once
#include <memory>
#include <string_view>

#include "stream/event.h"

namespace ralph::stream {

/// Takes what a dialect makes of a line. `parent` is Event::parent.
class PayloadSink {
 public:
  virtual ~PayloadSink() = default;
  virtual void emit(std::string_view parent, const Payload& payload) = 0;
};

enum class LineStatus {
  decoded,    // at least one event came of it
  blank,      // nothing on it
  malformed,  // not what this dialect reads; kept in the raw log, counted, skipped
};

/// Turns the lines of one agent CLI into events. Keeps what it must remember between lines.
class Dialect {
 public:
  virtual ~Dialect() = default;
  /// "claude", the name in Event::agent.
  virtual std::string_view agent() const = 0;
  /// What people call it: "Claude".
  virtual std::string_view display_name() const = 0;
  /// `line` has LineSplitter::kPadding readable bytes behind it. Payloads borrow until the next
  /// call.
  virtual LineStatus decode(std::string_view line, PayloadSink& sink) = 0;
};

/// Claude Code's `--output-format stream-json`.
std::unique_ptr<Dialect> make_claude_dialect();

}  // namespace ralph::stream

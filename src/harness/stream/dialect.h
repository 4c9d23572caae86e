#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/stream/event.h"

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
  /// After the last line, once the program has ended: for agents that have no last record of their
  /// own. `exit_code` is none when it did not exit by itself, or if that is unknown.
  virtual void finish(std::optional<int> /*exit_code*/, PayloadSink& /*sink*/) {}
};

/// Claude Code's `--output-format stream-json`.
std::unique_ptr<Dialect> make_claude_dialect(std::string display_name = "Claude");
/// The same of ralph's own agent, which its events name "builtin".
std::unique_ptr<Dialect> make_own_dialect(std::string display_name = "ralph");

/// Plain text of any program: each line is a Text, nothing is malformed. Exit code 0 is the end of its
/// one turn, with the last kKeptText bytes of what it said.
std::unique_ptr<Dialect> make_text_dialect(std::string agent, std::string display_name);

}  // namespace ralph::stream

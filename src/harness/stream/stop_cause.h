#pragma once
#include <cstdint>
#include <string>

namespace ralph::stream {

/// What stopped ralph: a signal, or one of its own commands.
class StopCause {
 public:
  enum class Kind : std::uint8_t { signal, stop_command, stop_now_command };

  StopCause(int signal_number) : signal_number_(signal_number) {}  // a signal number is a cause
  static StopCause stop_command() { return {Kind::stop_command}; }
  static StopCause stop_now_command() { return {Kind::stop_now_command}; }

  /// 128 and the signal's number; of a command that of Ctrl-C.
  int exit_code() const;
  /// For people: "Ctrl-C (SIGINT)", "SIGTERM", "'ralph stop --now'".
  std::string text() const;

  bool operator==(const StopCause&) const = default;

 private:
  StopCause(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::signal;
  int signal_number_ = 0;
};

}  // namespace ralph::stream

#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "agent/hook/hooks.h"
#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::hook {

/// More output of a hook, on stdout or stderr, is a failure.
inline constexpr std::size_t kMostOutput = std::size_t{1} << 20;

/// What a command printed, and its exit code; nullopt: a signal ended it.
struct CommandOutput {
  std::optional<int> exit_code;
  std::string_view out, err;
};

/// What one hook says.
struct Verdict {
  Answer answer;
  std::string error;  // it went wrong, but that has no effect
};

/// Reads the JSON answer of a hook. An error: it is not one for this event, so that it cannot be followed.
Result<Answer> read_answer(Event event, const json::Document& answer);

/// Judges a command that has ended by itself; `name` is how reasons name it. An error: it failed, and counts as one that
/// blocks where the event can be blocked.
Result<Verdict> read_output(Event event, std::string_view name, const CommandOutput& output);

}  // namespace ralph::hook

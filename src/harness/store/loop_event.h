#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "harness/store/loop_record.h"
#include "harness/store/stop_reason.h"
#include "harness/stream/event.h"

namespace ralph::store {

/// What an agent does in a run of a loop.
enum class AgentRole { worker, summarizer };
std::string_view to_string(AgentRole role);

/// Why a loop waits before its next iteration.
enum class WaitReason { rate_limit, outage, failure };

struct LoopStarted {
  std::string loop_id, backend, model, goal_file;
  bool resumed = false;
  std::optional<std::int64_t> max_iterations;
  std::optional<double> max_cost_usd;
  bool operator==(const LoopStarted&) const = default;
};
struct IterationStarted {
  std::int64_t iteration = 0;  // of the summarizer: the one before it
  AgentRole role = AgentRole::worker;
  std::string run_id;
  bool operator==(const IterationStarted&) const = default;
};
/// Messages of 'ralph tell' are in the prompt.
struct GuidanceTaken {
  std::int64_t iteration = 0, messages = 0;
  bool operator==(const GuidanceTaken&) const = default;
};
struct IterationEnded {
  std::int64_t iteration = 0;
  AgentRole role = AgentRole::worker;
  std::string run_id;
  StepOutcome outcome;
  bool failed = false, done = false, changed = false;
  std::optional<double> cost_usd;
  Millis duration{0};
  bool operator==(const IterationEnded&) const = default;
};
struct VerificationStarted {
  std::vector<std::string> commands;
  bool operator==(const VerificationStarted&) const = default;
};
struct VerificationEnded {
  bool passed = false;
  Millis duration{0};
  std::string where;
  std::string command, reason, tail;  // of the command that failed
  bool operator==(const VerificationEnded&) const = default;
};
/// Verification refused a DONE; the loop continues.
struct DoneRefused {
  std::int64_t iteration = 0, in_a_row = 0;
  bool operator==(const DoneRefused&) const = default;
};
struct IterationCommitted {
  std::string commit;
  std::int64_t iteration = 0;
  bool operator==(const IterationCommitted&) const = default;
};
struct IterationRolledBack {
  std::string commit;  // that the files are at now
  std::int64_t iteration = 0;
  bool operator==(const IterationRolledBack&) const = default;
};
struct WaitStarted {
  WaitReason reason = WaitReason::failure;
  std::string text;  // "model API overloaded"
  UtcTime until;
  bool operator==(const WaitStarted&) const = default;
};
struct LoopNote {
  stream::Level level = stream::Level::info;
  std::string text;
  bool operator==(const LoopNote&) const = default;
};
struct LoopEnded {
  StopReason reason = StopReason::unknown;
  std::string why;
  std::int64_t exit_code = 0;
  bool operator==(const LoopEnded&) const = default;
};
/// Of another version of ralph.
struct UnknownStep {
  std::string step, raw;
  bool operator==(const UnknownStep&) const = default;
};

using LoopStep =
    std::variant<LoopStarted, IterationStarted, GuidanceTaken, IterationEnded, VerificationStarted,
                 VerificationEnded, DoneRefused, IterationCommitted, IterationRolledBack,
                 WaitStarted, LoopNote, LoopEnded, UnknownStep>;

/// One step of a loop: a line of `loop.ndjson`.
struct LoopEvent {
  UtcTime at;
  LoopStep step;
  bool operator==(const LoopEvent&) const = default;
};

/// `{"type":"loop","step":"committed",…}` without the newline, not masked; with a time: `"at"` behind the step.
std::string write_step(const LoopStep& step);
std::string write_event(const LoopEvent& event);
/// What write_event() wrote; keys that are not known are ignored. nullopt: not an event.
std::optional<LoopEvent> read_event(std::string_view line);

}  // namespace ralph::store

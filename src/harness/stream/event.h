#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace ralph::stream {

/// JSON text, kept as it was written.
struct RawJson {
  std::string_view text;
  bool operator==(const RawJson&) const = default;
};

enum class ToolKind {
  shell,
  read,
  write,
  edit,
  search,
  web,
  mcp,
  subagent,
  plan,
  structured,
  other
};
enum class Level { debug, info, warning };
enum class ErrorClass {
  auth,
  rate_limit,
  overloaded,
  network,
  invalid_request,
  trust,
  permission,
  limit,
  internal,
  unknown
};
/// What a usage figure covers. `turn` is everything since the last turn_ended, subagents included.
enum class UsageScope { request, turn, run, session_total };
enum class CostSource { agent, price_table, none };
enum class Status { success, failed, interrupted, timeout, incomplete };

/// Tokens as they are billed: cached ones apart, thinking counted in output (and again in
/// reasoning).
struct Tokens {
  std::int64_t input_uncached = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;

  Tokens& operator+=(const Tokens& other);
  /// Of plausible counts.
  std::int64_t prompt() const { return input_uncached + cache_read + cache_write; }
  bool has_prompt() const { return input_uncached != 0 || cache_read != 0 || cache_write != 0; }
  bool operator==(const Tokens&) const = default;
};

/// Of a longer text that an agent said only the end is kept.
inline constexpr std::size_t kKeptText = std::size_t{1} << 20;

// The payloads. Empty text means "unknown". Every view borrows, see Event.

struct SessionStarted {
  std::string_view session_id, model, cwd, agent_version, permission_mode;
  RawJson tools;  // array of names
  bool resumed = false;
  bool operator==(const SessionStarted&) const = default;
};
struct TurnStarted {
  std::int64_t n = 0;
  bool operator==(const TurnStarted&) const = default;
};
/// A delta is a piece of a block that comes whole, with `final`, later: show one or the other.
struct Text {
  std::string_view text;
  bool delta = false;
  bool final = true;
  std::string_view message_id;
  bool operator==(const Text&) const = default;
};
struct Thinking {
  std::string_view text;
  bool delta = false;
  bool operator==(const Thinking&) const = default;
};
struct ToolCall {
  std::string_view call_id, name;
  ToolKind kind = ToolKind::other;
  std::string_view detail;  // the one argument a person wants to see
  RawJson input;
  bool operator==(const ToolCall&) const = default;
};
/// Activity of a running tool: output, or stream "progress" with a description.
struct ToolOutput {
  std::string_view call_id, stream, text;
  bool operator==(const ToolOutput&) const = default;
};
struct ToolResult {
  std::string_view call_id, name;
  std::optional<bool> ok;
  std::optional<std::int64_t> exit_code;
  std::string_view output;
  bool denied = false;
  bool operator==(const ToolResult&) const = default;
};
/// `partial`: the request still runs, output is not final; a later one of the same message replaces
/// it.
struct Usage {
  UsageScope scope = UsageScope::request;
  std::string_view model, message_id;
  Tokens tokens;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> context_window;
  bool partial = false;
  bool operator==(const Usage&) const = default;
};
/// The agent will try an API request again by itself. Deltas shown since the last block are void.
struct Retry {
  std::int64_t attempt = 0;
  std::optional<std::int64_t> max, delay_ms, http_status;
  ErrorClass error_class = ErrorClass::unknown;
  std::string_view message;
  bool operator==(const Retry&) const = default;
};
/// Any other information. `topic` names it for programs ("compaction", "status" …); `message` is for
/// people.
struct Notice {
  Level level = Level::info;
  std::string_view topic, message;
  std::optional<std::int64_t> value;
  bool operator==(const Notice&) const = default;
};
/// The topic of a notice whose `value` is the number of background tasks the agent runs.
inline constexpr std::string_view kBackgroundTasks = "background_tasks";
struct ErrorEvent {
  ErrorClass error_class = ErrorClass::unknown;
  std::string_view message;
  std::optional<std::int64_t> http_status;
  std::optional<std::int64_t> resets_at;  // Unix seconds, for rate limits
  std::string_view call_id, tool;         // for permission
  bool says_remedy = false;               // the message says what to do
  bool operator==(const ErrorEvent&) const = default;
};
/// Why a turn ended, as far as ralph treats the ends differently.
enum class TurnEndReason { max_turns, cost_limit, invalid_output, context_full, other };

/// What the agent reports at the end of a turn; a run may have several.
struct TurnEnded {
  std::string_view text;
  RawJson structured;
  bool is_error = false;
  TurnEndReason end = TurnEndReason::other;
  std::string_view reason;   // as the agent names it, for people: "completed", "max_turns" …
  std::string_view error;    // its error messages, joined
  bool says_remedy = false;  // `error` says what to do
  std::string_view origin;   // empty: a user's message; "task-notification" …
  std::string_view session_id;
  Tokens usage;
  std::optional<double> total_cost_usd;  // of the whole session so far
  std::int64_t turns = 0;
  std::int64_t duration_ms = 0;
  RawJson denials;  // array of {tool, call_id, input}
  std::optional<std::int64_t> http_status;
  bool operator==(const TurnEnded&) const = default;
};
/// The end of the run, exactly one; ralph makes it from the agent's events, the exit and the
/// limits.
struct RunResult {
  Status status = Status::incomplete;
  std::string_view outcome;  // name in the outcome table
  std::string_view why;      // one sentence: the parts below, which only a failure has
  std::string_view headline, detail, addition, hint;
  std::string_view text;
  RawJson structured;
  std::string_view session_id, model;
  Tokens usage;
  std::optional<double> cost_usd;
  CostSource cost_source = CostSource::none;
  bool usage_is_minimum = false;  // usage and cost: the agent used more, and did not report it
  std::int64_t turns = 0;
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> exit_code, signal;
  std::int64_t denials = 0;
  std::int64_t skipped_lines = 0;
  bool degraded = false;
  std::string_view agent_version;
  std::string_view streamed_text;  // text blocks of all turns
  RawJson denied;                  // array of {tool, call_id, input}
  std::string_view raw_log;        // the path of what it printed last
  std::int64_t attempts = 0;       // how often it was started
  bool operator==(const RunResult&) const = default;
};
/// A line the dialect knows nothing about; never dropped, never fatal.
struct Unknown {
  std::string_view type;
  RawJson raw;
  bool operator==(const Unknown&) const = default;
};

using Payload =
    std::variant<SessionStarted, TurnStarted, Text, Thinking, ToolCall, ToolOutput, ToolResult,
                 Usage, Retry, Notice, ErrorEvent, TurnEnded, RunResult, Unknown>;

/// One action of an agent, in the same form for every agent.
/// An event borrows its text: the views are good until the handler returns; copy what you keep.
struct Event {
  std::int64_t seq = 0;   // 1, 2, 3 … within the run
  std::int64_t t_ms = 0;  // since the run began
  std::string_view agent;
  std::string_view run_id;
  std::int64_t line = -1;  // number of the raw line, from 1; -1: not from a line
  std::string_view
      parent;  // call id of the tool call whose subagent speaks; empty: the agent itself
  Payload what;
  bool operator==(const Event&) const = default;
};

/// A piece of text or thinking whose whole block comes later.
bool is_delta(const Payload& payload);

/// "text", "tool_call", … as in the JSON form.
std::string_view type_name(const Payload& payload);

/// The class of an HTTP status of the model's API; unknown for a status that is not an error.
ErrorClass class_of_status(std::int64_t http_status);

std::string_view to_string(ToolKind value);
std::string_view to_string(Level value);
std::optional<Level> level_named(std::string_view word);
std::string_view to_string(ErrorClass value);
std::string_view to_string(UsageScope value);
std::string_view to_string(CostSource value);
std::string_view to_string(Status value);

}  // namespace ralph::stream

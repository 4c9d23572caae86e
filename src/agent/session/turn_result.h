#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/stop_reason.h"
#include "agent/api/usage.h"
#include "agent/session/model_total.h"
#include "core/base/time.h"

namespace ralph::session {

/// The uuids of the input messages that a turn answers; empty: they had none.
using MessageIds = std::vector<std::string>;

/// What kind of result a turn has.
enum class ResultSubtype { success, max_turns, max_budget, max_structured_retries, execution };
std::string_view to_string(ResultSubtype subtype);

/// Why a turn ended. `none`: there was no turn.
enum class TerminalReason {
  none,
  completed,
  api_error,
  prompt_too_long,
  image_error,
  budget_exhausted,
  max_turns,
  structured_output_retries,
  aborted_streaming,
  aborted_tools,
  context_thrashing,
  compaction_disabled,
  loop_guard,
  hook_stopped,
};
/// As JSON has it; of `none` "".
std::string_view to_string(TerminalReason reason);

/// What went wrong with the API, in the word of Claude Code's results.
enum class ApiErrorCode {
  none,
  connection_failed,
  media_removed,
  max_output_tokens,
  context_thrashing,
};
/// As JSON has it; of `none` "".
std::string_view to_string(ApiErrorCode code);

/// The first request of a turn that was answered.
struct FirstRequest {
  std::int64_t sent_ms = 0;  // since 1970
  std::int64_t input_tokens = 0;
  std::int64_t cache_read_tokens = 0;
};

/// A call that was not permitted.
struct Denial {
  std::string tool_name, tool_use_id;
  std::string tool_input;  // JSON
};

/// The subagents of a session so far.
struct SubagentStats {
  std::int64_t in_background = 0, in_foreground = 0, unset = 0;  // as the calls asked for
  std::int64_t started_in_background = 0;
  std::int64_t completed = 0, failed = 0;
  std::int64_t killed_by_parent = 0, killed_by_user = 0, killed_by_system = 0;
  std::int64_t too_many = 0;                  // calls refused because of the limit
  std::map<std::string, std::int64_t> types;  // how often each was started
};

/// How a turn ended, with its usage and timing.
struct TurnResult {
  ResultSubtype subtype = ResultSubtype::success;
  bool is_error = false;
  std::string text;                              // of success
  std::vector<std::string> errors;               // of the others
  std::optional<std::string> structured_output;  // JSON
  std::int64_t num_turns = 0;
  api::ReplyStop stop_reason;
  TerminalReason terminal_reason = TerminalReason::none;
  std::optional<int> api_error_status;
  std::string api_error_type;  // as the API sent it
  ApiErrorCode api_error = ApiErrorCode::none;
  api::Usage usage;
  double total_cost_usd = 0;
  std::vector<ModelTotal> totals;         // of the session
  std::vector<ModelTotal> recent_totals;  // since the result before
  std::vector<Denial> denials;
  Millis duration{0};
  Millis api_duration{0};
  std::optional<Millis> to_request, to_stream, to_first_token;
  std::optional<FirstRequest> first_request;
  std::int64_t safety_stops = 0;  // replies that a safety check stopped
  std::int64_t index = 0;
  MessageIds answers;
  std::string local_command;  // the command that gave the result without the model; empty: none
  bool of_task = false;       // started by the end of a background task, not by the user
  SubagentStats subagents;
};

}  // namespace ralph::session

#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/http/message.h"

namespace ralph::mock {

// --- what a message is made of ---

struct TextBlock {
  std::string text;
  std::vector<std::string> citations;  // JSON each
};
struct ThinkingBlock {
  std::string thinking;
  std::string signature = "bW9jay1zaWduYXR1cmU=";  // empty: the block has none
};
/// A tool_use or server_tool_use.
struct ToolUseBlock {
  std::string name;
  std::string input = "{}";  // JSON text, or any other text to send in its place
  std::string id;            // empty: numbered when it is sent
  std::string type = "tool_use";
};
struct CompactionBlock {
  std::string content;
};
/// Any other block, sent unchanged, with its deltas.
struct VerbatimBlock {
  std::string json;
  std::vector<std::string> deltas;  // JSON each
};
using Block = std::variant<TextBlock, ThinkingBlock, ToolUseBlock, CompactionBlock, VerbatimBlock>;

/// Token counts of a step; missing input and output counts are estimated from the bytes.
struct UsageWish {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::string others = "{}";  // JSON object with all other members
};

enum class LineEnd { lf, crlf, cr };

/// A message, streamed if the request asks for it.
struct Reply {
  std::vector<Block> content;
  std::string stop_reason;    // empty: "tool_use" or "end_turn", by the content
  std::string stop_sequence;  // empty: null
  std::string stop_details;   // JSON; empty: none
  std::string id;             // empty: numbered
  std::string model;          // empty: the request's
  UsageWish usage;
  std::size_t chunk_size = 40;  // bytes of text, thinking or JSON in one delta
  Millis chunk_delay{0};        // before each delta
  LineEnd line_end = LineEnd::lf;
};

/// An HTTP error with the API's body.
struct Failure {
  int status = 0;       // 0: what the API uses for the type
  std::string type;     // empty: what the API uses for the status
  std::string message;  // empty: "mock <type>"
  http::Headers headers;
};

/// The answer of a step: a message, an error of the API, or any HTTP response.
using Action = std::variant<Reply, Failure, http::Response>;

// --- what goes wrong ---

/// A place in an answer. Without streaming, only `before_headers`, `in_headers`, `after_headers` and `after_message_stop`
/// differ; all others are the middle of the body.
enum class Place {
  before_headers,
  in_headers,
  after_headers,
  after_events,         // after Trouble::events events
  in_event,             // in the middle of the last block's last delta
  in_block,             // after the last block's deltas, before its stop
  after_blocks,         // before message_delta
  before_message_stop,  // after message_delta
  after_message_stop,
};

/// How an answer ends early. `end`: as a valid HTTP response; `close`: the connection is closed; `reset`: with a TCP
/// reset; `silence`: not until the client disconnects.
enum class Cut { end, close, reset, silence };
/// Additional bytes in the body.
struct Bytes {
  std::string bytes;
};
struct Pause {
  Millis duration{0};
};
/// An "error" event, which ends the stream.
struct ErrorEvent {
  std::string type;
  std::string message;
};
using Incident = std::variant<Cut, Bytes, Pause, ErrorEvent>;

struct Trouble {
  Place place = Place::after_headers;
  std::size_t events = 0;  // for Place::after_events
  Incident incident;
};

// --- the script ---

inline constexpr std::string_view kMessagesPath = "/v1/messages";

/// Which requests a step answers. All given conditions must hold.
struct Match {
  std::string path{kMessagesPath};  // the end of the request's path
  std::string model;                // a part of the model's name
  std::string contains;             // a text in any string of the request
  std::string last;                 // … in the last user message
  std::string tool_result;          // … in a tool result of the last user message
  std::string system;               // … in the system prompt
  std::string tool;                 // the name of a declared tool
};

/// The answer to a request. Steps with a match answer matching requests at any time; the others answer in order.
struct Step {
  std::size_t number = 1;  // its place in the file, from 1
  std::optional<Match> match;
  std::optional<std::size_t> times;  // how many requests; default: one, or with a match all
  Millis delay{0};                   // before the answer
  Action action;
  std::vector<Trouble> troubles;
};

/// What happens after the last step.
enum class Then { repeat_last, start_again, error };

struct Scenario {
  std::vector<Step> steps;
  Then then = Then::repeat_last;
};

/// Reads a scenario. Errors name the file (`name`), the step, the place in it, and the most similar valid word.
Result<Scenario> read_scenario(std::string_view text, std::string_view name);

/// The scenario as indented JSON, which read_scenario() reads back.
std::string write_scenario(const Scenario& scenario);

/// One step per text.
Scenario scenario_of_texts(const std::vector<std::string>& texts);

/// The type the API uses for a status: 529 → "overloaded_error".
std::string_view error_type(int status);
/// The status the API uses for a type; 0: unknown type.
int error_status(std::string_view type);

}  // namespace ralph::mock

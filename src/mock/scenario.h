#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"

namespace ralph::mock {

struct TextBlock {
  std::string text;
};
struct ThinkingBlock {
  std::string thinking;
  std::string signature = "bW9jay1zaWduYXR1cmU=";
};
struct ToolUseBlock {
  std::string name;
  std::string input = "{}";  // JSON text
  std::string id;            // empty: numbered when it is sent
};
/// Another kind of block the API knows, sent as it is.
struct VerbatimBlock {
  std::string json;
};
using Block = std::variant<TextBlock, ThinkingBlock, ToolUseBlock, VerbatimBlock>;

/// Token counts a step wants to report; the others are estimated from the bytes.
struct UsageWish {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
};

/// A message, streamed or whole as the request asks.
struct Reply {
  std::vector<Block> content;
  std::string stop_reason;  // empty: "tool_use" or "end_turn", as the content is
  std::string model;        // empty: the request's
  UsageWish usage;
  std::size_t chunk_size = 40;  // bytes of text, thinking or JSON in one delta
  Millis chunk_delay{0};        // before each delta
};

/// An HTTP error with the API's body.
struct Failure {
  int status = 0;       // 0: what the API uses for the type
  std::string type;     // empty: what the API uses for the status
  std::string message;  // empty: "mock <type>"
  http::Headers headers;
};

/// What a step does; another kind of misbehaviour is another alternative.
using Action = std::variant<Reply, Failure>;

/// Which requests a step is for. Both must hold when both are given.
struct Match {
  std::string contains;  // some text anywhere in the request's strings
  std::string model;     // some part of the model's name
};

/// The answer to one request. Steps with a match answer every request that fits, as often as it
/// comes; the others answer one request each, in order.
struct Step {
  std::size_t number = 1;  // its place in the file, from 1
  std::optional<Match> match;
  Millis delay{0};  // before the answer
  Action action;
};

/// What happens after the last step.
enum class Then { repeat_last, start_again, error };

struct Scenario {
  std::vector<Step> steps;
  Then then = Then::repeat_last;
};

/// Reads a scenario. Errors name the file (`name`), the step and the place in it, and the nearest
/// known word.
Result<Scenario> read_scenario(std::string_view text, std::string_view name);

/// One step a text.
Scenario scenario_of_texts(const std::vector<std::string>& texts);

/// The type the API uses for a status: 529 → "overloaded_error".
std::string_view error_type(int status);
/// The status the API uses for a type; 0: it has no such type.
int error_status(std::string_view type);

}  // namespace ralph::mock

#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/usage.h"

namespace ralph::api {

/// One block of an answer, whole. Blocks and deltas of types we do not know are kept as they came.
struct Block {
  std::string type;  // "text", "thinking", "tool_use" …
  std::string json;  // one line, as it goes back to the API
  std::string text;  // of text and thinking blocks
  std::string id;    // of tool_use blocks …
  std::string name;
  /// JSON object. Where the model's text was no JSON object: {"__unparsedToolInput":{"raw":…,"len":…}}.
  std::string input;
  std::string raw_input;  // that text; empty: the input is good
};

/// An answer, or as much of it as came.
struct Reply {
  std::string id;
  std::string model;
  std::string request_id;
  std::vector<Block> content;  // whole blocks
  std::optional<Block> open;   // the one that was still streaming when the answer ended early
  std::string stop_reason;     // empty: none came
  std::string stop_sequence;
  std::string stop_details;  // JSON object; empty: none
  Usage usage;
  std::string usage_at_start = "{}";  // JSON: as message_start had it
  bool whole = false;                 // it came to its end
  bool streamed = true;               // false: asked for in one piece
};

}  // namespace ralph::api

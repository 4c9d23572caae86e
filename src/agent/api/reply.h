#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/stop_reason.h"
#include "agent/api/usage.h"

namespace ralph::api {

enum class BlockType { text, thinking, tool_use, other };

/// One complete block of a reply. Blocks and deltas of unknown types are kept as they came.
struct Block {
  BlockType type = BlockType::other;
  std::string json;  // one line, as it goes back to the API
  std::string text;  // of text and thinking blocks
  std::string id;    // of tool_use blocks …
  std::string name;
  /// JSON object. If the model did not write one: {"__unparsedToolInput":{"raw":…,"len":…}}.
  std::string input;
  std::string raw_input;  // what the model wrote; empty: the input is valid
};

/// A reply, or the part of it that arrived.
struct Reply {
  std::string id;
  std::string model;
  std::string request_id;
  std::vector<Block> content;  // complete blocks
  std::optional<Block> open;   // the block that was still streaming when the reply ended early
  ReplyStop stop_reason;
  std::string stop_sequence;
  std::string stop_details;  // JSON object; empty: none
  Usage usage;
  std::string usage_at_start = "{}";  // JSON: as message_start had it
  bool whole = false;                 // it is complete
  bool streamed = true;               // false: requested without streaming
};

}  // namespace ralph::api

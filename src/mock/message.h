#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mock/scenario.h"

namespace ralph::mock {

struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string others = "{}";  // JSON object with the other members
};

/// One message of the API, complete with ids, model, stop reason and usage.
struct Message {
  std::string id;
  std::string model;
  std::vector<Block> content;
  std::string stop_reason;
  Usage usage;
  std::string stop_sequence;  // empty: null
  std::string stop_details;   // JSON; empty: none
};

/// One server-sent event.
struct Event {
  std::string_view name;
  std::string data;  // JSON

  bool operator==(const Event&) const = default;
};

/// "event: name\ndata: {…}\n\n", with those line ends.
std::string event_bytes(const Event& event, LineEnd line_end = LineEnd::lf);

std::string usage_json(const Usage& usage);

/// The message as the API sends it without streaming.
std::string message_json(const Message& message);

/// The message as the API streams it: deltas of at most `chunk_size` bytes (but whole characters), and a ping after the
/// start of the first block.
std::vector<Event> message_events(const Message& message, std::size_t chunk_size);

/// Four bytes per token, at least one token.
std::int64_t estimated_tokens(std::size_t bytes);
std::size_t content_bytes(const std::vector<Block>& content);

}  // namespace ralph::mock

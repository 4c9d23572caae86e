#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "mock/recorded_answer.h"
#include "mock/scenario.h"
#include "system/http/sse_decoder.h"

namespace ralph::mock {

/// A complete block in the API's form as a typed block; verbatim if no type fits.
Block block_of(const json::Document& block);

/// Copies stop reason, model, id and usage from a message, its start or its delta.
void read_message_fields(const json::Document& message, Reply& reply);
void read_usage_fields(const json::Document& usage, UsageWish& wish);

/// Builds a message from its events.
class StreamReader {
 public:
  /// An event that is not JSON makes the stream unreadable.
  void add(const http::SseEvent& event);
  /// The step; nullopt: not the stream of a message.
  std::optional<Step> finish(Ended ended);

 private:
  void start_block(const json::Document& data);
  void add_delta(const json::Document& delta);
  void stop_block();
  /// Trouble at the current place of the stream.
  Trouble here(Incident incident) const;

  Reply reply_;
  std::optional<json::Document> block_;  // the open one, as it was started
  std::vector<json::Document> deltas_;   // of the open block
  std::optional<ErrorEvent> error_;
  std::size_t pieces_ = 0;  // of text in the open block
  std::size_t largest_piece_ = 0;
  bool several_pieces_ = false;
  bool readable_ = true;
  bool started_ = false;
  bool has_delta_ = false;  // message_delta
  bool whole_ = false;      // message_stop
};

}  // namespace ralph::mock

#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "system/http/sse_decoder.h"
#include "core/json/document.h"
#include "mock/answer_reader.h"
#include "mock/scenario.h"

namespace ralph::mock {

/// A block in the API's own form, without deltas, as the nearest kind of ours.
Block block_of(const json::Document& block);

/// Takes over stop reason, model, id and usage of a message, or of its start or its delta.
void take_message(const json::Document& message, Reply& reply);
void take_usage(const json::Document& usage, UsageWish& wish);

/// Puts a message together again from its events.
class StreamReader {
 public:
  /// An event that is none of the API's makes the stream unreadable.
  void take(const http::SseEvent& event);
  /// The step; nullopt: this was no stream of a message.
  std::optional<Step> finish(Ended ended);

 private:
  void start_block(const json::Document& data);
  void take_delta(const json::Document& delta);
  void stop_block();
  /// Where the stream stands now.
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

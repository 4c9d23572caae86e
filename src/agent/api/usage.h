#pragma once
#include <cstdint>
#include <string>

#include "core/json/document.h"
#include "core/model/model.h"

namespace ralph::api {

/// What one request used, or a sum of requests.
struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_creation_5m = 0;  // of those written; an endpoint may not say
  std::int64_t cache_creation_1h = 0;
  std::int64_t thinking_tokens = 0;  // of the output
  std::int64_t web_search_requests = 0;
  std::int64_t web_fetch_requests = 0;

  /// Takes over what a usage object says and keeps the rest: endpoints leave fields out. Anything that is not a
  /// usage object changes nothing.
  void merge(const json::Document& usage);
  Usage& operator+=(const Usage& other);
  /// All that stood in the model's window at the end of one request.
  std::int64_t context_tokens() const {
    return input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
  }
  /// For the price: tokens written to the cache without a lifetime count as kept for five minutes.
  model::Tokens tokens() const;
  bool operator==(const Usage&) const = default;
};

}  // namespace ralph::api

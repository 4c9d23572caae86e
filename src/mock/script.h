#pragma once
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "system/http/message.h"
#include "core/json/document.h"
#include "mock/message.h"
#include "mock/prompt_cache.h"
#include "mock/scenario.h"

namespace ralph::mock {

/// The scenario while it is played: whose turn it is, and the numbers ids are made of. May be used
/// by many threads; requests are answered in the order they ask.
class Script {
 public:
  explicit Script(Scenario scenario, bool counts_cache = false);

  /// The first step with a match that fits; nullptr: none does. The body is nullptr when it is no
  /// JSON.
  const Step* matching(const http::Request& request, const json::Document* body);
  /// The step whose turn it is; nullptr: none is left and the scenario says that is an error.
  const Step* in_order();

  /// The reply as a message for this request; every message gets new ids.
  Message message(const Reply& reply, const http::Request& request, const json::Document* body);

  /// "req_mock_000001" …
  std::string request_id();

 private:
  Usage usage_of(const Reply& reply, const http::Request& request, const json::Document* body);

  Scenario scenario_;
  std::optional<PromptCache> cache_;  // usage says what it reads and writes
  std::vector<const Step*> ordered_;  // steps without a match
  std::mutex mutex_;
  std::vector<std::size_t> used_;  // how often each step answered
  std::size_t position_ = 0;       // in ordered_
  std::size_t messages_ = 0;
  std::size_t tool_uses_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace ralph::mock

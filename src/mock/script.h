#pragma once
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/json/document.h"
#include "mock/message.h"
#include "mock/prompt_cache.h"
#include "mock/scenario.h"
#include "system/http/message.h"

namespace ralph::mock {

/// The state of a scenario while it is played: the next step and the numbers of ids. Thread-safe; requests are answered in
/// the order of their calls.
class Script {
 public:
  explicit Script(Scenario scenario, bool counts_cache = false);

  /// The first step whose match fits; nullptr: none. `body` is nullptr if it is not JSON.
  const Step* matching(const http::Request& request, const json::Document* body);
  /// The next step without a match; nullptr: none is left and the scenario ends with an error.
  const Step* in_order();

  /// The reply as a message for this request; every message gets new ids.
  Message message(const Reply& reply, const http::Request& request, const json::Document* body);

  /// "req_mock_000001" …
  std::string request_id();

 private:
  Usage usage_of(const Reply& reply, const http::Request& request, const json::Document* body);

  Scenario scenario_;
  std::optional<PromptCache> cache_;  // if set, usage is computed from it
  std::vector<const Step*> ordered_;  // steps without a match
  std::mutex mutex_;
  std::vector<std::size_t> used_;  // how often each step answered
  std::size_t position_ = 0;       // in ordered_
  std::size_t messages_ = 0;
  std::size_t tool_uses_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace ralph::mock

#pragma once
#include <cstddef>
#include <mutex>
#include <string>

#include "json/document.h"
#include "mock/message.h"
#include "mock/scenario.h"

namespace ralph::mock {

/// The scenario while it is played: whose turn it is, and the numbers ids are made of. May be used
/// by many threads; requests are answered in the order they ask.
class Script {
 public:
  explicit Script(Scenario scenario);

  /// The step for this request; nullptr: none is left and the scenario says that is an error.
  const Step* next(const json::Document& request);

  /// The reply as a message for this request of `request_bytes` bytes; every message gets new ids.
  Message message(const Reply& reply, const json::Document& request, std::size_t request_bytes);

  /// "req_mock_000001" …
  std::string request_id();

 private:
  const Step* matching(const json::Document& request) const;
  const Step* in_order();

  Scenario scenario_;
  std::vector<const Step*> ordered_;  // steps without a match
  std::mutex mutex_;
  std::size_t position_ = 0;
  std::size_t messages_ = 0;
  std::size_t tool_uses_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace ralph::mock

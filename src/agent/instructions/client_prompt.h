#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::instructions {

/// The system prompt that a client sent with its `initialize` request, until the first turn uses it. Written by the thread
/// that reads requests.
class ClientPrompt {
 public:
  /// Of the request, systemPrompt, a string or a list of strings, replaces the prompt, even if empty; appendSystemPrompt is
  /// appended. An error: one of them has another type.
  Result<> take(const json::Document& request);

  /// The prompt of the client, completed by the options; nullopt: the client sent none.
  std::optional<std::vector<std::string>> apply(const settings::Options& options) const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> own_, more_;
};

}  // namespace ralph::instructions

#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::instructions {

/// The system prompt a client sends with its `initialize` request, until the first turn uses it. Written by the thread that
/// reads requests.
class ClientPrompt {
 public:
  /// `request`: the JSON of the request. systemPrompt is a text or a list of texts and replaces the prompt, also when it is
  /// empty; appendSystemPrompt goes behind it. An error: one of them is something else.
  Result<> take(std::string_view request);

  /// The prompt with what the command line says where the client says nothing; nullopt: the client said nothing.
  std::optional<std::vector<std::string>> apply(const settings::Options& options) const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> own_, more_;
};

}  // namespace ralph::instructions

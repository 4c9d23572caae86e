#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "core/base/result.h"
#include "core/json/document_value.h"

namespace ralph::instructions {

/// What an `initialize` request says about the system prompt. nullopt: nothing.
struct PromptTexts {
  std::optional<std::string> own;   // systemPrompt replaces the prompt, even if empty
  std::optional<std::string> more;  // appendSystemPrompt is appended
};
/// Each is a string or a list of strings. An error: one has another type.
Result<PromptTexts> read_prompt_texts(const json::Document& request);

/// The system prompt that a client sent with its `initialize` request, until the first turn uses it. Written by the thread
/// that reads requests.
class ClientPrompt {
 public:
  /// Replaces what is given.
  void set(PromptTexts texts);

  /// The prompt of the client, completed by the options; nullopt: the client sent none.
  std::optional<std::vector<std::string>> apply(const settings::Options& options) const;

 private:
  mutable std::mutex mutex_;
  PromptTexts texts_;
};

}  // namespace ralph::instructions

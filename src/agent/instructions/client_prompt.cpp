#include "agent/instructions/client_prompt.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/instructions/system_prompt.h"
#include "core/json/field.h"

namespace ralph::instructions {
namespace {

/// A string, or strings joined by empty lines; nullopt: none.
Result<std::optional<std::string>> prompt_member(const json::Document& request, const char* name) {
  const auto& value = json::member(request, name);
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (!json::is_text_list(value)) {
    return fail(Code::usage, fmt::format("'{}' must be a string or a list of strings", name));
  }
  std::string all;
  for (const auto& part : json::texts(value)) {
    if (!all.empty() && !part.empty()) all += "\n\n";
    all += part;
  }
  return all;
}

}  // namespace

Result<PromptTexts> read_prompt_texts(const json::Document& request) {
  PromptTexts texts;
  TRY_ASSIGN(texts.own, prompt_member(request, "systemPrompt"));
  TRY_ASSIGN(texts.more, prompt_member(request, "appendSystemPrompt"));
  return texts;
}

void ClientPrompt::set(PromptTexts texts) {
  const std::lock_guard lock(mutex_);
  if (texts.own) texts_.own = std::move(texts.own);
  if (texts.more) texts_.more = std::move(texts.more);
}

std::optional<std::vector<std::string>> ClientPrompt::apply(
    const settings::Options& options) const {
  const std::lock_guard lock(mutex_);
  if (!texts_.own && !texts_.more) return std::nullopt;
  auto changed = options;
  if (texts_.own) {
    changed.system_prompt = texts_.own;
    changed.system_prompt_file.clear();
  }
  if (texts_.more) {
    changed.append_system_prompt = *texts_.more;
    changed.append_system_prompt_file.clear();
  }
  auto prompt = system_prompt(changed);
  if (!prompt) return std::nullopt;
  return *std::move(prompt);
}

}  // namespace ralph::instructions

#include "agent/instructions/client_prompt.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/instructions/system_prompt.h"
#include "core/json/document.h"

namespace ralph::instructions {
namespace {

/// A text, or texts with an empty line between them; nullopt: there is none.
Result<std::optional<std::string>> text_of(const json::Document& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  const bool texts = found->is_array() &&
                     std::ranges::all_of(*found, [](const auto& part) { return part.is_string(); });
  if (!texts) return fail(Code::usage, fmt::format("'{}' must be a text or a list of texts", name));
  std::string all;
  for (const auto& part : *found) {
    const auto text = part.template get<std::string>();
    if (!all.empty() && !text.empty()) all += "\n\n";
    all += text;
  }
  return all;
}

}  // namespace

Result<> ClientPrompt::take(std::string_view request) {
  const auto parsed = json::parse(request);
  if (!parsed || !parsed->is_object()) return {};
  TRY_ASSIGN(auto own, text_of(*parsed, "systemPrompt"));
  TRY_ASSIGN(auto more, text_of(*parsed, "appendSystemPrompt"));
  const std::lock_guard lock(mutex_);
  if (own) own_ = std::move(own);
  if (more) more_ = std::move(more);
  return {};
}

std::optional<std::vector<std::string>> ClientPrompt::apply(
    const settings::Options& options) const {
  const std::lock_guard lock(mutex_);
  if (!own_ && !more_) return std::nullopt;
  auto changed = options;
  if (own_) {
    changed.system_prompt = own_;
    changed.system_prompt_file.clear();
  }
  if (more_) {
    changed.append_system_prompt = *more_;
    changed.append_system_prompt_file.clear();
  }
  auto prompt = system_prompt(changed);
  if (!prompt) return std::nullopt;
  return *std::move(prompt);
}

}  // namespace ralph::instructions

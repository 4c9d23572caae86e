#include "agent/session/preserved_context.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

constexpr std::size_t kMostPrompts = 6;
constexpr std::size_t kLongestPrompt = 12'000;
constexpr std::size_t kMostPreservedFiles = 40;
constexpr std::array<std::string_view, 3> kFileTools{"Read", "Edit", "Write"};

std::string capped(std::string text) {
  if (text.size() <= kLongestPrompt) return text;
  const auto size = text.size();
  return fmt::format("{}\n[… cut: {} bytes in all]", utf8::prefix(text, kLongestPrompt), size);
}

}  // namespace

void PreservedContext::add_prompt(std::string_view content) {
  const auto blocks = json::parse(content);
  if (!blocks || !blocks->is_array()) return;
  std::string text;
  for (const auto& block : *blocks) {
    const auto type = json::text(block, "type");
    if (type.empty()) continue;
    const auto part = type == "text" ? json::text(block, "text") : "[" + type + "]";
    if (type == "tool_result" || is_blank(part)) continue;
    text += (text.empty() ? "" : "\n") + part;
  }
  if (text.empty()) return;
  prompts.push_back(capped(std::move(text)));
  if (prompts.size() > kMostPrompts) prompts.erase(prompts.begin() + 1);
}

void PreservedContext::add_call(std::string_view tool, std::string_view input) {
  if (std::ranges::find(kFileTools, tool) == kFileTools.end()) return;
  const auto parsed = json::parse(input);
  if (!parsed) return;
  auto name = json::text(*parsed, "file_path");
  if (name.empty()) return;
  std::erase(files, name);
  files.insert(files.begin(), std::move(name));
  if (files.size() > kMostPreservedFiles) files.pop_back();
}

std::string PreservedContext::members() const {
  return "\"keptPrompts\":" + string_array(prompts) + ",\"keptFiles\":" + string_array(files);
}

}  // namespace ralph::session

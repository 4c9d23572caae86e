#include "agent/session/json_text.h"

#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::session {

std::string json_string(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string string_array(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& text : texts) {
    if (out.size() > 1) out += ',';
    json::append_string(out, text);
  }
  return out + "]";
}

std::string text_content(std::string_view text) {
  return R"([{"type":"text","text":)" + json_string(text) + "}]";
}

std::string text_of_content(std::string_view content) {
  const auto parsed = json::parse(content).value_or(json::Document::array());
  if (parsed.is_string()) return parsed.get<std::string>();
  std::string all;
  for (const auto& block : parsed) {
    if (!block.is_string() && json::text(block, "type") != "text") continue;
    if (!all.empty()) all += '\n';
    all += block.is_string() ? block.get<std::string>() : json::text(block, "text");
  }
  return all;
}

}  // namespace ralph::session

#include "agent/session/json_text.h"

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

}  // namespace ralph::session

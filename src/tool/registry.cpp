#include <algorithm>
#include <array>

#include "json/writer.h"
#include "tool/builtin_tools.h"
#include "tool/tool.h"

namespace ralph::tool {
namespace {

std::string json_text(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return json;
}

Outcome failed(std::string_view content, std::string_view text) {
  return {json_text(content), true, json_text("Error: " + std::string(text))};
}

}  // namespace

Outcome failure(std::string_view text) { return failed(text, text); }

Outcome misuse(std::string_view text) {
  return failed("<tool_use_error>" + std::string(text) + "</tool_use_error>", text);
}

std::span<const Tool* const> tools() {
  static const std::array all{
      &bash_tool(),
  };
  return all;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : *found;
}

std::string definition(const Tool& tool) {
  std::string json;
  json::ObjectWriter(json)
      .text("name", tool.name())
      .text("description", tool.description())
      .raw("input_schema", tool.schema())
      .close();
  return json;
}

}  // namespace ralph::tool

#include <algorithm>
#include <array>

#include "core/json/writer.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/tool.h"

namespace ralph::tool {
std::span<const Tool* const> tools() {
  static const std::array all{
      &bash_tool(), &edit_tool(), &glob_tool(), &grep_tool(), &read_tool(), &write_tool(),
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

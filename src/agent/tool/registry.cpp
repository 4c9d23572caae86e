#include <algorithm>
#include <array>

#include "agent/tool/background.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/tool.h"
#include "core/json/writer.h"

namespace ralph::tool {
std::span<const Tool* const> tools(bool background) {
  static const std::array all{
      &bash_tool(),          &edit_tool(), &glob_tool(),      &grep_tool(),
      &notebook_edit_tool(), &read_tool(), &task_stop_tool(), &write_tool(),
  };
  static const auto foreground = [] {
    auto tools = all;
    std::ranges::replace(tools, &bash_tool(), &foreground_bash_tool());
    return tools;
  }();
  return background ? all : foreground;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : *found;
}

permission::ToolCall permission_call(const Tool& tool, const json::Document& input,
                                     const Access& access, const Workspace& workspace) {
  const auto* const tasks = workspace.setup().tasks;
  return {
      tool.name(),     input,
      access,          workspace.setup(),
      workspace.cwd(), workspace.setup().shared || (tasks != nullptr && !tasks->list().empty())};
}

permission::Decision decide(const Tool& tool, const json::Document& input, const Access& access,
                            permission::Mode mode, const permission::Rules& rules,
                            const Workspace& workspace) {
  return permission::decide(permission_call(tool, input, access, workspace), mode, rules);
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

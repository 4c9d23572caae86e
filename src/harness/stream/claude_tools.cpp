#include <array>

#include "harness/stream/claude_tools_impl.h"

namespace ralph::stream {
namespace {

struct ToolRow {
  std::string_view name;
  ToolKind kind;
  std::string_view argument;  // shown as the detail
  std::string_view where;     // shown behind it as "… in WHERE" when it is given
};

constexpr std::array kTools = std::to_array<ToolRow>({
    {"Bash", ToolKind::shell, "command", {}},
    {"Read", ToolKind::read, "file_path", {}},
    {"Write", ToolKind::write, "file_path", {}},
    {"Edit", ToolKind::edit, "file_path", {}},
    {"MultiEdit", ToolKind::edit, "file_path", {}},
    {"NotebookEdit", ToolKind::edit, "notebook_path", {}},
    {"Glob", ToolKind::search, "pattern", "path"},
    {"Grep", ToolKind::search, "pattern", "path"},
    {"ToolSearch", ToolKind::search, "query", {}},
    {"WebFetch", ToolKind::web, "url", {}},
    {"WebSearch", ToolKind::web, "query", {}},
    {"Agent", ToolKind::subagent, "description", {}},
    {"Task", ToolKind::subagent, "description", {}},
    {"SendMessage", ToolKind::subagent, "message", {}},
    {"Skill", ToolKind::other, "skill", {}},
    {"StructuredOutput", ToolKind::structured, "summary", {}},
    {"TodoWrite", ToolKind::plan, {}, {}},
    {"TaskCreate", ToolKind::plan, "subject", {}},
    {"TaskUpdate", ToolKind::plan, "taskId", {}},
    {"TaskStop", ToolKind::shell, "task_id", {}},
    {"TaskOutput", ToolKind::shell, "task_id", {}},
    {"Monitor", ToolKind::shell, "command", {}},
    {"ExitPlanMode", ToolKind::plan, {}, {}},
});

/// Tried in this order for tools that are not in the table.
constexpr std::array<std::string_view, 12> kUsualArguments{
    "file_path",   "path",   "command", "pattern", "query",   "url",
    "description", "prompt", "name",    "id",      "message", "text"};

const ToolRow* find(std::string_view name) {
  for (const auto& row : kTools) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string_view usual_argument(View input) {
  for (const auto name : kUsualArguments) {
    if (const auto value = input[name].text(); !value.empty()) return value;
  }
  std::string_view first;
  input.each_member([&](std::string_view, View value) {
    if (first.empty()) first = value.text();
  });
  return first;
}

}  // namespace

ToolKind kind_of_tool(std::string_view name) {
  if (name.starts_with("mcp__")) return ToolKind::mcp;
  const auto* row = find(name);
  return row == nullptr ? ToolKind::other : row->kind;
}

std::string_view detail_of_call(std::string_view name, View input, std::string& scratch) {
  const auto* row = find(name);
  if (row == nullptr) return usual_argument(input);
  if (row->argument.empty()) return {};
  const auto detail = input[row->argument].text();
  const auto where = row->where.empty() ? std::string_view() : input[row->where].text();
  if (where.empty()) return detail;
  scratch.assign(detail).append(" in ").append(where);
  return scratch;
}

}  // namespace ralph::stream

#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/document.h"

namespace ralph::mcp {

/// A tool as a server describes it, made acceptable for the API.
struct ToolDefinition {
  std::string remote_name;  // what the server calls it
  std::string name;         // mcp__SERVER__TOOL
  std::string description;
  std::string schema;      // JSON Schema of an object
  bool read_only = false;  // the server's claim

  bool operator==(const ToolDefinition&) const = default;
};

/// Letters, digits, "_" and "-"; every other character becomes "_".
std::string normalized_name(std::string_view name);
/// What the API takes.
inline constexpr std::size_t kLongestToolName = 128;
/// "mcp__SERVER__TOOL" of normalized names.
std::string tool_name(std::string_view server, std::string_view tool);

/// Reads one element of the answer to tools/list. nullopt: it is not a tool.
std::optional<ToolDefinition> read_tool(const json::Document& tool, std::string_view server);

}  // namespace ralph::mcp

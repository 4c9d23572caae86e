#include "agent/mcp/tool_definition.h"

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

using json::Document;

constexpr std::size_t kLongestDescription = 2048;  // as in Claude Code
constexpr std::string_view kSafe =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/// The API accepts objects only, and no alternatives at the top level; the server checks the input itself.
std::string schema_of(const Document& tool) {
  auto schema = json::member(tool, "inputSchema");
  if (!schema.is_object()) schema = Document::object();
  schema["type"] = "object";
  for (const auto* const key : {"oneOf", "anyOf", "allOf"}) schema.erase(key);
  if (!json::member(schema, "properties").is_object()) schema["properties"] = Document::object();
  return json::write(schema);
}

}  // namespace

std::string normalized_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (kSafe.find(c) == kSafe.npos) c = '_';
  }
  return out;
}

std::string tool_name(std::string_view server, std::string_view tool) {
  return "mcp__" + normalized_name(server) + "__" + normalized_name(tool);
}

std::optional<ToolDefinition> read_tool(const Document& tool, std::string_view server) {
  const auto* const name = json::find_text(tool, "name");
  if (name == nullptr || name->empty()) return std::nullopt;
  ToolDefinition read;
  read.remote_name = *name;
  read.name = tool_name(server, *name);
  read.description = json::text(tool, "description");
  if (read.description.size() > kLongestDescription) {
    read.description =
        std::string(utf8::prefix(read.description, kLongestDescription)) + "… [truncated]";
  }
  read.schema = schema_of(tool);
  read.read_only = json::boolean(json::member(tool, "annotations"), "readOnlyHint");
  return read;
}

}  // namespace ralph::mcp

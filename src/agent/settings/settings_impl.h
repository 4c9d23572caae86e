#pragma once
// Private to this module's .cpp files.
#include <filesystem>
#include <string>
#include <string_view>

#include "agent/settings/settings.h"
#include "core/json/document.h"

namespace ralph::settings {

/// A member of an object; null: there is none.
const json::Document& member(const json::Document& object, const char* key);

/// The folder with its links resolved, as far as it exists.
std::filesystem::path real(const std::filesystem::path& folder);

/// Claude Code's record of its user: what was trusted, and MCP servers. An empty object where there is none.
json::Document read_claude_record(const Environment& environment);
bool is_trusted(const Environment& environment, const json::Document& record,
                const std::filesystem::path& folder);

/// "Ignoring <names> of <file>: this workspace is not trusted …"
std::string untrusted_note(std::string_view names, std::string_view file);

struct McpSources {
  const Options& options;
  const json::Document& record;
  std::filesystem::path cwd;  // links resolved
  bool trusted = false;
};
/// Fills mcp_servers, and notes those of a repository that is not trusted.
void add_mcp_servers(Settings& settings, const McpSources& sources);

}  // namespace ralph::settings

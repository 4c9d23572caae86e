#pragma once
// Private to this module's .cpp files.
#include <filesystem>
#include <string>
#include <string_view>

#include "agent/settings/settings.h"
#include "core/json/document.h"

namespace ralph::settings {

/// The path with the links of its existing part resolved.
std::filesystem::path real(const std::filesystem::path& folder);

/// Claude Code's ~/.claude.json: trusted directories and MCP servers. An empty object if there is none.
json::Document read_claude_record(const Environment& environment);
bool is_trusted(const Environment& environment, const json::Document& record,
                const std::filesystem::path& folder);

/// "Ignoring <names> of <file>: this workspace is not trusted …"
std::string untrusted_note(std::string_view names, std::string_view file);

/// The file of read_claude_record().
std::filesystem::path claude_record_path(const Environment& environment);

struct McpSources {
  const Options& options;
  const Environment& environment;
  const json::Document& record;
  std::filesystem::path cwd;  // links resolved
};
/// Fills mcp_servers; adds a note about servers of a repository that is not trusted. An error: a broken configuration.
Result<> add_mcp_servers(Settings& settings, const McpSources& sources);

}  // namespace ralph::settings

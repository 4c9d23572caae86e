#include <algorithm>
#include <span>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/settings/settings_impl.h"
#include "agent/settings/source_file.h"
#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::settings {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kMostNamed = 8;  // servers in one message

void add(Settings& settings, const Document& servers, std::string_view where) {
  if (!servers.is_object()) return;
  for (const auto& [name, server] : servers.items()) {
    settings.mcp_servers.push_back(fmt::format("'{}' in {}", name, where));
  }
}

/// --mcp-config: JSON, or the name of a file with it. One that cannot be read counts as a server.
void add_given(Settings& settings, const std::string& given) {
  auto parsed = json::parse(given);
  if (!parsed || !parsed->is_object()) {
    const auto text = read_file(given, kLargestSettingsFile);
    parsed = text ? json::parse(*text) : std::unexpected(text.error());
  }
  if (!parsed || !parsed->is_object()) {
    settings.mcp_servers.push_back(fmt::format(
        "--mcp-config '{}', which is neither a JSON object nor a file with one", given));
    return;
  }
  const auto& servers = json::member(*parsed, "mcpServers");
  add(settings, servers.is_object() ? servers : *parsed, "--mcp-config");
}

/// .mcp.json of the directory and of its parents, as in Claude Code.
void add_project(Settings& settings, const McpSources& sources) {
  for (auto folder = sources.cwd; !folder.empty(); folder = folder.parent_path()) {
    const auto path = folder / ".mcp.json";
    const auto file = read_source_file(path, folder, kLargestSettingsFile);
    auto parsed = file ? json::parse(file->text) : Result<Document>(Document::object());
    if (!parsed) parsed = Document::object();
    auto servers = json::member(*parsed, "mcpServers");
    for (const auto& name : settings.disabled_mcp_servers) {
      if (servers.is_object()) servers.erase(name);
    }
    if (!servers.empty() && !sources.trusted) {
      settings.notes.push_back(
          untrusted_note(fmt::format("MCP servers ({})", servers.size()), path.string()));
    } else {
      add(settings, servers, path.string());
    }
    if (folder == folder.root_path()) break;
  }
}

std::string name_list(const std::vector<std::string>& names) {
  const auto shown = std::span(names).first(std::min(names.size(), kMostNamed));
  auto text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

}  // namespace

bool accepts(const Options& options, std::string_view feature) {
  return std::ranges::find(options.accepted_unsupported, feature) !=
         options.accepted_unsupported.end();
}

std::string untrusted_note(std::string_view names, std::string_view file) {
  return fmt::format("Ignoring {} of {}: this workspace is not trusted ('ralph trust' trusts it)",
                     names, file);
}

void add_mcp_servers(Settings& settings, const McpSources& sources) {
  const auto& options = sources.options;
  for (const auto& given : options.mcp_config) add_given(settings, given);
  if (options.strict_mcp_config || options.bare) return;
  if (wants(options, "user")) {
    add(settings, json::member(sources.record, "mcpServers"), "your .claude.json");
  }
  if (wants(options, "local")) {
    const auto& projects = json::member(sources.record, "projects");
    const auto& project = json::member(projects, sources.cwd.native());
    add(settings, json::member(project, "mcpServers"), "your .claude.json, for this directory");
  }
  if (wants(options, "project")) add_project(settings, sources);
}

Result<std::vector<std::string>> check_supported(const Settings& settings, const Options& options) {
  const struct {
    std::string_view feature;
    std::string where;  // empty: it is not configured
    std::string_view refusal, remedy, note;
  } features[] = {
      {kMcp, name_list(settings.mcp_servers),
       "MCP servers are configured ({}), but ralph's agent does not support them yet",
       "leave out those of files with --strict-mcp-config", "MCP servers are not used: {}"},
      {kSandbox, settings.sandbox,
       "{} enables Claude Code's sandbox, which ralph's agent does not support",
       "use 'ralph run --sandbox'", "the sandbox that {} enables is not used"},
  };
  std::vector<std::string> notes;
  for (const auto& [feature, where, refusal, remedy, note] : features) {
    if (where.empty()) continue;
    if (!accepts(options, feature)) {
      return fail(
          Code::unavailable, fmt::format(fmt::runtime(refusal), where),
          fmt::format("{}, or use --accept-unsupported {} to continue without", remedy, feature));
    }
    notes.push_back(
        fmt::format("ralph: {} (--accept-unsupported)", fmt::format(fmt::runtime(note), where)));
  }
  return notes;
}

}  // namespace ralph::settings

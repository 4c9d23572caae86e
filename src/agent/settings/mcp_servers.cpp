#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/settings/settings_impl.h"
#include "agent/settings/source_file.h"
#include "core/base/file.h"
#include "core/json/field.h"

/// Where MCP servers are configured.
namespace ralph::settings {
namespace {

namespace fs = std::filesystem;
using json::Document;

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

/// Collects servers; one that was added before hides others of its name.
class McpCollector {
 public:
  McpCollector(Settings& settings, const McpSources& sources)
      : settings_(settings), sources_(sources) {}

  Result<> add_all() {
    for (const auto& given : sources_.options.mcp_config) TRY(add_given(given));
    if (sources_.options.strict_mcp_config || sources_.options.bare) return {};
    const auto record = claude_record_path(sources_.environment).string();
    if (wants(sources_.options, "local")) {
      const auto& projects = json::member(sources_.record, "projects");
      const auto& project = json::member(projects, sources_.cwd.native());
      const auto where = fmt::format("{}, projects.{}", record, sources_.cwd.string());
      TRY(add(json::member(project, "mcpServers"), where, "local"));
    }
    if (wants(sources_.options, "project")) TRY(add_project());
    if (!wants(sources_.options, "user")) return {};
    return add(json::member(sources_.record, "mcpServers"), record, "user");
  }

 private:
  Result<> add(const Document& servers, std::string_view where, std::string_view source) {
    const auto lookup = [this](std::string_view name) { return sources_.environment.find(name); };
    TRY_ASSIGN(auto read, mcp::read_servers(servers, where, source, lookup));
    for (auto& server : read) {
      const auto known =
          std::ranges::find(settings_.mcp_servers, server.name, &mcp::ServerConfig::name);
      if (known == settings_.mcp_servers.end()) settings_.mcp_servers.push_back(std::move(server));
    }
    return {};
  }

  /// --mcp-config: JSON, or the name of a file with it.
  Result<> add_given(const std::string& given) {
    constexpr std::string_view kOption = "--mcp-config";
    if (const auto inlined = json::parse(given); inlined && inlined->is_object()) {
      return add_document(*inlined, kOption, "dynamic");
    }
    const auto text = read_file(given, kLargestSettingsFile);
    if (!text) {
      return fail(Code::config, fmt::format("Invalid MCP configuration: {} '{}' is neither a JSON "
                                            "object nor a file that can be read ({})",
                                            kOption, given, text.error().message));
    }
    return add_file(*text, given, "dynamic");
  }

  Result<> add_file(const std::string& text, const std::string& path, std::string_view source) {
    const auto parsed = json::parse(text, path);
    if (!parsed) {
      return fail(Code::config,
                  fmt::format("Invalid MCP configuration: {}", parsed.error().message));
    }
    return add_document(*parsed, path, source);
  }

  Result<> add_document(const Document& document, std::string_view where, std::string_view source) {
    if (!document.is_object() || !document.contains("mcpServers")) {
      return fail(Code::config,
                  fmt::format("Invalid MCP configuration {}: key 'mcpServers' is missing", where));
    }
    return add(document["mcpServers"], where, source);
  }

  /// .mcp.json of the directory and of its parents, as in Claude Code.
  Result<> add_project() {
    for (auto folder = sources_.cwd; !folder.empty(); folder = folder.parent_path()) {
      const auto path = folder / ".mcp.json";
      if (const auto file = read_source_file(path, folder, kLargestSettingsFile)) {
        const bool trusted = is_trusted(sources_.environment, sources_.record, folder);
        TRY(trusted ? add_project_file(file->text, path) : note_untrusted(file->text, path));
      }
      if (folder == folder.root_path()) break;
    }
    return {};
  }

  /// A broken file is ignored too.
  Result<> note_untrusted(const std::string& text, const fs::path& path) {
    const auto parsed = json::parse(text);
    auto servers = parsed ? json::member(*parsed, "mcpServers") : Document();
    drop_disabled(servers);
    if (!servers.empty()) {
      settings_.notes.push_back(
          untrusted_note(fmt::format("MCP servers ({})", servers.size()), path.string()));
    }
    return {};
  }

  Result<> add_project_file(const std::string& text, const fs::path& path) {
    const auto parsed = json::parse(text);
    if (!parsed || !parsed->is_object()) return add_file(text, path.string(), "project");
    auto servers = json::member(*parsed, "mcpServers");
    drop_disabled(servers);
    drop_not_enabled(servers, path);
    return add(servers, path.string(), "project");
  }

  void drop_disabled(Document& servers) const {
    if (!servers.is_object()) return;
    for (const auto& name : settings_.disabled_mcp_servers) servers.erase(name);
  }

  /// Settings that enable some servers exclude the others.
  void drop_not_enabled(Document& servers, const fs::path& path) {
    const auto& enabled = settings_.enabled_mcp_servers;
    if (settings_.all_mcp_servers || enabled.empty() || !servers.is_object()) return;
    std::vector<std::string> dropped;
    for (const auto& [name, server] : servers.items()) {
      if (!names(enabled, name)) dropped.push_back(name);
    }
    for (const auto& name : dropped) servers.erase(name);
    if (dropped.empty()) return;
    settings_.notes.push_back(
        fmt::format("Ignoring MCP servers of {} that enabledMcpjsonServers does not name: {}",
                    path.string(), fmt::join(dropped, ", ")));
  }

  Settings& settings_;
  const McpSources& sources_;
};

}  // namespace

Result<> add_mcp_servers(Settings& settings, const McpSources& sources) {
  return McpCollector(settings, sources).add_all();
}

}  // namespace ralph::settings

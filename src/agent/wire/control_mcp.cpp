#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/wire/control_requests_impl.h"
#include "core/json/field.h"

/// Requests about MCP servers.
namespace ralph::wire {
namespace {

using json::Document;

/// A server that runs is not restarted or switched off within a session.
ControlReply refuse_change(const AgentParts& parts, const Document& request,
                           std::string_view what) {
  const auto name = json::text(request, "serverName");
  const auto states = parts.servers.states();
  const bool known = std::ranges::find(states, name, &mcp::ServerState::name) != states.end();
  if (!known) return refusal(fmt::format("Server not found: {}", name));
  return refusal(fmt::format("ralph's agent cannot {} an MCP server within a session", what),
                 "unsupported_request");
}

Document describe_server(const mcp::ServerState& server) {
  Document described{
      {"name", server.name}, {"status", to_string(server.status)}, {"scope", server.source}};
  if (server.info.is_object()) described["serverInfo"] = server.info;
  auto tools = Document::array();
  for (const auto* tool : server.tools) {
    tools.push_back({{"name", tool->definition().remote_name},
                     {"description", tool->description()},
                     {"annotations", {{"readOnly", tool->definition().read_only}}}});
  }
  described["tools"] = std::move(tools);
  return described;
}

}  // namespace

json::Document server_list(const AgentParts& parts) {
  auto list = Document::array();
  for (const auto& server : parts.servers.states()) list.push_back(describe_server(server));
  return list;
}

void add_client_servers(AgentParts& parts, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    mcp::ServerConfig server;
    server.name = name;
    server.kind = mcp::ServerConfig::Kind::client;
    server.source = "dynamic";
    server.where = "initialize";
    parts.servers.add(std::move(server));
  }
}

ControlReply serve_mcp_status(AgentParts& parts, const Document&) {
  return success({{"mcpServers", server_list(parts)}});
}

/// The configuration is the client's: variables are not replaced.
ControlReply serve_mcp_set_servers(AgentParts& parts, const Document& request) {
  const auto& given = json::member(request, "servers");
  if (!given.is_object()) {
    return refusal("mcp_set_servers: 'servers' must be an object", "invalid_request");
  }
  std::vector<mcp::ServerConfig> configs;
  auto errors = Document::object();
  for (const auto& [name, server] : given.items()) {
    const auto read =
        mcp::read_servers({{name, server}}, "mcp_set_servers", "dynamic",
                          [](std::string_view) { return std::optional<std::string>(); });
    if (read) configs.push_back(read->front());
    if (!read) errors[name] = read.error().message;
  }
  const auto changes = parts.servers.replace(std::move(configs));
  return success(
      {{"added", changes.added}, {"removed", changes.removed}, {"errors", std::move(errors)}});
}

ControlReply serve_mcp_reconnect(AgentParts& parts, const Document& request) {
  return refuse_change(parts, request, "restart");
}

ControlReply serve_mcp_toggle(AgentParts& parts, const Document& request) {
  return refuse_change(parts, request, "switch off");
}

}  // namespace ralph::wire

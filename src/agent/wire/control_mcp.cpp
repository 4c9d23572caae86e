#include <string>

#include <nlohmann/json.hpp>

#include "agent/wire/control_requests_impl.h"
#include "core/json/field.h"

/// Requests about MCP servers.
namespace ralph::wire {

using json::Document;

ControlReply serve_mcp_status(AgentParts& parts, const Document&) {
  return success({{"mcpServers", parts.mcp_control().status()}});
}

ControlReply serve_mcp_set_servers(AgentParts& parts, const Document& request) {
  const auto& servers = json::member(request, "servers");
  if (!servers.is_object()) return refusal("mcp_set_servers: 'servers' must be an object");
  auto changed = parts.mcp_control().set_servers(servers);
  return changed ? success(*std::move(changed)) : refusal(changed.error().message);
}

ControlReply serve_mcp_reconnect(AgentParts& parts, const Document& request) {
  const auto done = parts.mcp_control().reconnect(json::text(request, "serverName"));
  return done ? success() : refusal(done.error().message);
}

ControlReply serve_mcp_toggle(AgentParts& parts, const Document& request) {
  const auto done = parts.mcp_control().toggle(json::text(request, "serverName"),
                                               json::boolean(request, "enabled"));
  return done ? success() : refusal(done.error().message);
}

}  // namespace ralph::wire

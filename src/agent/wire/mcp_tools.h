#pragma once
#include <string>
#include <vector>

#include "agent/mcp/servers.h"
#include "agent/session/toolbox.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/wire/client_requests.h"

namespace ralph::wire {

/// Servers inside the client, reached by `mcp_message` requests.
class McpLink final : public mcp::ClientLink {
 public:
  explicit McpLink(ClientRequests& client) : client_(client) {}
  Result<json::Document> exchange(const std::string& server, const json::Document& message,
                                  std::optional<Millis> limit,
                                  const std::stop_token& stop) override;

 private:
  ClientRequests& client_;
};

/// The tools of MCP servers, for the toolboxes of a session and its subagents. Thread-safe.
class McpTools final : public session::ToolSource {
 public:
  explicit McpTools(mcp::Servers& servers) : servers_(servers) {}
  std::vector<const tool::Tool*> tools(const std::stop_token& stop) override {
    return servers_.tools(stop);
  }
  bool is_offered(const tool::Tool& tool) const override { return servers_.is_offered(tool); }
  std::vector<session::ServerFacts> servers() const override;

 private:
  mcp::Servers& servers_;
};

/// The limits that the environment sets: MCP_TIMEOUT, MCP_TOOL_TIMEOUT, MAX_MCP_OUTPUT_TOKENS.
void set_mcp_limits(mcp::Surroundings& surroundings, const settings::Environment& environment);
/// By ENABLE_TOOL_SEARCH and --tools. `window`: tokens of the model's context.
mcp::SearchPolicy mcp_search_policy(const settings::Options& options,
                                    const settings::Environment& environment, std::int64_t window);

}  // namespace ralph::wire

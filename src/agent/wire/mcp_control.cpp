#include "agent/wire/mcp_control.h"

#include <nlohmann/json.hpp>

namespace ralph::wire {

using json::Document;

namespace {

Result<> no_server(const std::string& server) {
  return fail(Code::not_found, "Server not found: " + server);
}

}  // namespace

Document NoMcp::status() { return Document::array(); }

Result<Document> NoMcp::set_servers(const Document& servers) {
  auto errors = Document::object();
  for (const auto& [name, server] : servers.items()) {
    errors[name] = "MCP servers are not supported by ralph's agent yet";
  }
  return Document{{"added", Document::array()}, {"removed", Document::array()}, {"errors", errors}};
}

Result<> NoMcp::reconnect(const std::string& server) { return no_server(server); }
Result<> NoMcp::toggle(const std::string& server, bool) { return no_server(server); }

}  // namespace ralph::wire

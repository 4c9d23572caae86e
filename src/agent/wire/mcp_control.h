#pragma once
#include <string>

#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::wire {

/// What a client asks of the MCP servers of a session. Called on the thread that reads the client's answers: nothing here
/// may wait for the client or for a server.
class McpControl {
 public:
  virtual ~McpControl() = default;
  /// The servers, as an array of `McpServerStatus` objects: name, status, serverInfo, scope, tools.
  virtual json::Document status() = 0;
  /// Replaces the servers that clients added: `added`, `removed`, `errors` by name.
  virtual Result<json::Document> set_servers(const json::Document& servers) = 0;
  /// An error: there is no such server.
  virtual Result<> reconnect(const std::string& server) = 0;
  virtual Result<> toggle(const std::string& server, bool enabled) = 0;
};

/// A session without MCP servers.
class NoMcp final : public McpControl {
 public:
  json::Document status() override;
  Result<json::Document> set_servers(const json::Document& servers) override;
  Result<> reconnect(const std::string& server) override;
  Result<> toggle(const std::string& server, bool enabled) override;
};

}  // namespace ralph::wire

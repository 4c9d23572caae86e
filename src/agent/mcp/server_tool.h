#pragma once
#include <utility>

#include "agent/mcp/tool_definition.h"
#include "agent/tool/tool.h"

namespace ralph::mcp {

class Server;

/// A tool of a server. Its access is unknown: only a rule, a person or bypassPermissions allows a call.
class ServerTool final : public tool::Tool {
 public:
  ServerTool(const Server& server, ToolDefinition definition)
      : server_(server), definition_(std::move(definition)) {}

  const Server& server() const { return server_; }
  const ToolDefinition& definition() const { return definition_; }

  std::string_view name() const override { return definition_.name; }
  std::string_view description() const override { return definition_.description; }
  std::string_view schema() const override { return definition_.schema; }
  bool checks_input() const override { return true; }
  /// By the server's claim, which grants nothing else.
  bool is_parallel(const json::Document& /*input*/) const override { return definition_.read_only; }
  tool::Access access(const json::Document& /*input*/,
                      const tool::Workspace& /*workspace*/) const override {
    return {};
  }
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  const Server& server_;
  ToolDefinition definition_;
};

}  // namespace ralph::mcp

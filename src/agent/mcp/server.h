#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/mcp/call_result.h"
#include "agent/mcp/client_transport.h"
#include "agent/mcp/server_config.h"
#include "agent/mcp/server_tool.h"
#include "core/base/time.h"

namespace ralph::mcp {

class Connection;

/// What servers of one session have in common.
struct Surroundings {
  std::filesystem::path cwd;
  std::string client_version;
  Millis start_limit{30'000};                       // MCP_TIMEOUT
  Millis call_limit{600'000};                       // MCP_TOOL_TIMEOUT
  std::int64_t output_tokens = kUsualOutputTokens;  // MAX_MCP_OUTPUT_TOKENS
  ServerConfig::Pairs environment = {};  // for the programs of servers, before their own variables
  ClientLink* link = nullptr;            // nullptr: there are no servers inside the client
  std::function<void(std::string_view)> warn = {};  // prints a line to the user
  /// Called with the tool of a call that failed. True: the model has not seen its parameters, but will from now on.
  std::function<bool(std::string_view)> on_failed_call = {};
};

enum class ServerStatus { pending, connected, failed, needs_auth };
/// "needs-auth".
std::string_view to_string(ServerStatus status);

/// One server with its connection and its tools. The tools live as long as the server.
class Server {
 public:
  Server(ServerConfig config, const Surroundings& surroundings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const ServerConfig& config() const { return config_; }
  const std::string& key() const { return key_; }  // the normalized name
  const Surroundings& surroundings() const { return surroundings_; }

  /// Connects on a thread of its own; at most once, and not after remove().
  void start();
  /// Waits until it is connected, has failed or was removed; within the limit of its start.
  void wait(const std::stop_token& stop);
  ServerStatus status() const;
  /// Why it failed, once; nullopt: it did not, or that was said.
  std::optional<Error> take_failure();

  /// From any thread. Asks for the tools again if the server announced a change, unless another thread does.
  void refresh(const std::stop_token& stop);
  std::vector<const ServerTool*> tools() const;
  /// What the server says about itself: {"name","version"}; null before it is connected.
  json::Document server_info() const;

  tool::Outcome call(const ToolDefinition& tool, const json::Document& input,
                     std::string_view call_id, tool::Workspace& workspace,
                     const std::stop_token& stop) const;

  /// Begins to end it for good; its tools can be called no more. Does not wait.
  void remove();
  bool removed() const { return removed_; }

 private:
  void run_start(const std::stop_token& stop);
  void finish_start(ServerStatus status, std::optional<Error> why);
  Result<std::unique_ptr<Transport>> make_transport() const;
  Result<> connect(const std::stop_token& stop);
  Result<std::vector<ToolDefinition>> list_tools(SteadyTime end, const std::stop_token& stop);
  void warn_long_name(const ToolDefinition& tool) const;
  bool take_tools(std::vector<ToolDefinition> definitions);

  ServerConfig config_;
  std::string key_;
  const Surroundings& surroundings_;
  std::unique_ptr<Connection>
      connection_;  // of starter_ while starting_; does not change afterwards
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool starting_ = false;
  ServerStatus status_ = ServerStatus::pending;
  std::optional<Error> failure_;
  std::atomic<bool> removed_ = false;
  bool has_tools_ = false;  // it offers tools
  std::mutex refreshing_;
  bool refreshable_ = true;  // guarded by refreshing_
  int changes_left_;         // guarded by refreshing_
  std::unique_ptr<json::Document> info_;
  std::vector<std::unique_ptr<ServerTool>> all_tools_;  // also those it no longer has
  std::size_t kept_bytes_ = 0;                          // what their definitions take
  std::vector<const ServerTool*> tools_;
  std::jthread starter_;  // last: it uses the others
};

}  // namespace ralph::mcp

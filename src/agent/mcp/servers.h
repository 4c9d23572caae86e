#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/mcp/deferred_tools.h"
#include "agent/mcp/server.h"
#include "core/json/document_value.h"

namespace ralph::mcp {

/// A server as clients see it.
struct ServerState {
  std::string name;
  ServerStatus status = ServerStatus::pending;
  std::string source;
  json::Document
      info;  // what it says about itself: {"name","version"}; null before it is connected
  std::vector<const ServerTool*> tools;  // valid as long as the servers
};

/// What Servers::replace() did, by names.
struct ServerChanges {
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

/// The servers of a session and their tools. Ends all of them with itself.
class Servers {
 public:
  Servers(Surroundings surroundings, SearchPolicy policy);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// From any thread. Starts the server, unless it is inside the client: wait() does that. A second one of the same name is
  /// left out, with a warning if it differs.
  void add(ServerConfig config);
  /// From any thread. Makes `configs` the servers of Lifetime::until_replaced: adds what is new, removes the others. Waits
  /// for none.
  ServerChanges replace(std::vector<ServerConfig> configs);
  /// Waits until each server is connected, has failed or was removed, and reports those that failed.
  void wait(const std::stop_token& stop);
  /// From any thread.
  std::vector<ServerState> states() const;

  /// From any thread. The tools of all connected servers, and the search if some are deferred; a tool stays valid. Asks
  /// servers that announced a change.
  std::vector<const tool::Tool*> tools(const std::stop_token& stop);
  bool is_offered(const tool::Tool& tool) const { return deferred_.is_offered(tool); }
  /// nullptr: there is none of that name.
  const ServerTool* find(std::string_view name) const;

 private:
  std::vector<Server*> all() const;
  void add_locked(ServerConfig config);
  void update_search_locked(bool deferred);

  Surroundings surroundings_;
  DeferredTools deferred_;
  mutable std::mutex mutex_;
  mutable std::list<Server> servers_;
  std::vector<std::unique_ptr<ToolSearch>> searches_;  // the last is the current one
};

}  // namespace ralph::mcp

#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/json/document.h"

namespace ralph::mcp {

/// A server as it is configured, with variables replaced.
struct ServerConfig {
  enum class Kind { stdio, http, sse, client };           // client: inside the client ("sdk")
  enum class Lifetime { whole_session, until_replaced };  // see Servers::replace()
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string name;
  Kind kind = Kind::stdio;
  Lifetime lifetime = Lifetime::whole_session;
  std::string source;  // as clients see it: "dynamic", "local", "project", "user"
  std::string where;   // the file or option that configures it
  std::string command;
  std::vector<std::string> args;
  Pairs env;
  std::string url;
  Pairs headers;
  std::optional<Millis> timeout;  // of its calls

  bool operator==(const ServerConfig&) const = default;
};
/// "stdio", "http", "sse", "sdk".
std::string_view to_string(ServerConfig::Kind kind);

/// Code::config: the name is too long, or rules could take its tools for those of another server.
Result<> check_server_name(std::string_view name);

/// The value of an environment variable; nullopt: it is not set.
using VariableLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// Replaces ${NAME} and ${NAME:-default}. An error: a variable is not set and has no default.
Result<std::string> expand_variables(std::string_view text, const VariableLookup& lookup);

/// Reads the object `mcpServers` of a configuration. The error names `where`, the server and the key.
Result<std::vector<ServerConfig>> read_servers(const json::Document& servers,
                                               std::string_view where, std::string_view source,
                                               const VariableLookup& lookup);

}  // namespace ralph::mcp

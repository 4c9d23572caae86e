#include "agent/mcp/server_config.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/tool_definition.h"
#include "core/base/words.h"
#include "core/json/field.h"
#include "system/http/message.h"

namespace ralph::mcp {
namespace {

using json::Document;
using Kind = ServerConfig::Kind;

constexpr ralph::Words<Kind, 4> kKinds{{"stdio", "http", "sse", "sdk"}};
constexpr std::size_t kLongestName = 100;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of(kNameCharacters) == name.npos &&
         (name.front() < '0' || name.front() > '9');
}

/// Reads one server; all errors name the key.
class ServerReader {
 public:
  ServerReader(const Document& source, const VariableLookup& lookup, ServerConfig& server)
      : source_(source), lookup_(lookup), server_(server) {}

  Result<> read() {
    TRY(read_kind());
    if (const auto timeout = json::integer(source_, "timeout"); timeout > 0) {
      server_.timeout = Millis{timeout};
    }
    switch (server_.kind) {
      case Kind::stdio: return read_stdio();
      case Kind::http:
      case Kind::sse: return read_http();
      case Kind::client: break;
    }
    return {};
  }

 private:
  static std::unexpected<Error> wrong(std::string_view key, std::string_view why) {
    return fail(Code::config, fmt::format("key '{}': {}", key, why));
  }

  Result<> read_kind() {
    if (!source_.is_object()) return fail(Code::config, "it is not an object");
    const auto type = source_.find("type");
    if (type == source_.end()) {
      if (source_.contains("url") && !source_.contains("command")) {
        return wrong("type", "a server with a 'url' needs \"type\": \"http\" or \"sse\"");
      }
      return {};
    }
    const auto word = type->is_string() ? type->get<std::string>() : "";
    const auto kind = word == "streamable-http" ? Kind::http : kKinds.find(word);
    if (!kind) return wrong("type", "it must be stdio, http, sse or sdk");
    server_.kind = *kind;
    return {};
  }

  Result<std::string> expanded(std::string_view key, const Document& value) const {
    if (!value.is_string()) return wrong(key, "it must be a string");
    auto text = expand_variables(value.get<std::string>(), lookup_);
    if (!text) return wrong(key, text.error().message);
    if (text->find('\0') != text->npos) return wrong(key, "it contains a NUL character");
    return text;
  }

  Result<std::string> required(const char* key) const {
    const auto found = source_.find(key);
    if (found == source_.end()) return wrong(key, "it is missing");
    TRY_ASSIGN(auto text, expanded(key, *found));
    if (text.empty()) return wrong(key, "it is empty");
    return text;
  }

  Result<ServerConfig::Pairs> pairs(const char* key) const {
    ServerConfig::Pairs read;
    const auto found = source_.find(key);
    if (found == source_.end() || found->is_null()) return read;
    if (!found->is_object()) return wrong(key, "it must be an object of strings");
    for (const auto& [name, value] : found->items()) {
      TRY_ASSIGN(auto text, expanded(fmt::format("{}.{}", key, name), value));
      read.emplace_back(name, std::move(text));
    }
    return read;
  }

  Result<> read_stdio() {
    TRY_ASSIGN(server_.command, required("command"));
    const auto args = source_.find("args");
    if (args != source_.end() && !args->is_null()) {
      if (!args->is_array()) return wrong("args", "it must be a list of strings");
      for (const auto& word : *args) {
        TRY_ASSIGN(auto text, expanded("args", word));
        server_.args.push_back(std::move(text));
      }
    }
    TRY_ASSIGN(server_.env, pairs("env"));
    for (const auto& [name, value] : server_.env) {
      if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != name.npos) {
        return wrong("env", fmt::format("'{}' is not a valid variable name", name));
      }
    }
    return {};
  }

  Result<> read_http() {
    TRY_ASSIGN(server_.url, required("url"));
    if (!server_.url.starts_with("http://") && !server_.url.starts_with("https://")) {
      return wrong("url", "it must begin with http:// or https://");
    }
    if (source_.contains("headersHelper")) {
      return wrong("headersHelper", "it is not supported; use 'headers' with a ${VARIABLE}");
    }
    TRY_ASSIGN(server_.headers, pairs("headers"));
    for (const auto& [name, value] : server_.headers) {
      const bool valid = http::is_token(name) && value.find_first_of("\r\n") == value.npos;
      if (!valid) return wrong("headers", fmt::format("'{}' is not a valid header", name));
    }
    return {};
  }

  const Document& source_;
  const VariableLookup& lookup_;
  ServerConfig& server_;
};

}  // namespace

Result<> check_server_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) {
    return fail(Code::config, fmt::format("its name must have 1 to {} bytes", kLongestName));
  }
  // The rule "mcp__a" must not match the tools of another server.
  if (const auto key = normalized_name(name); key.contains("__") || key.ends_with('_')) {
    return fail(Code::config, fmt::format("its name, '{}' in the names of tools, must not contain "
                                          "'__' or end with '_'",
                                          key));
  }
  return {};
}

std::string_view to_string(Kind kind) { return kKinds.of(kind); }

Result<std::string> expand_variables(std::string_view text, const VariableLookup& lookup) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find("${");
    out += text.substr(0, open);
    if (open == text.npos) break;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const auto inner = close == text.npos ? std::string_view() : text.substr(2, close - 2);
    const auto colon = inner.find(":-");
    const auto name = inner.substr(0, colon);
    if (!is_variable_name(name)) {  // not a variable: as it is
      out += text.substr(0, 2);
      text.remove_prefix(2);
      continue;
    }
    if (auto value = lookup(name)) {
      out += *value;
    } else if (colon != inner.npos) {
      out += inner.substr(colon + 2);
    } else {
      return fail(Code::config, fmt::format("the variable {} is not set and has no default "
                                            "(${{{}:-default}})",
                                            name, name));
    }
    text.remove_prefix(close + 1);
  }
  return out;
}

Result<std::vector<ServerConfig>> read_servers(const Document& servers, std::string_view where,
                                               std::string_view source,
                                               const VariableLookup& lookup) {
  std::vector<ServerConfig> read;
  if (servers.is_null()) return read;
  if (!servers.is_object()) {
    return fail(
        Code::config,
        fmt::format("Invalid MCP configuration {}: key 'mcpServers': it must be an object", where));
  }
  for (const auto& [name, value] : servers.items()) {
    ServerConfig server;
    server.name = name;
    server.source = source;
    server.where = where;
    auto done = ServerReader(value, lookup, server).read();
    if (done) done = check_server_name(name);
    if (!done) {
      return fail(Code::config, fmt::format("Invalid MCP configuration {}: server '{}': {}", where,
                                            name, done.error().message));
    }
    read.push_back(std::move(server));
  }
  return read;
}

}  // namespace ralph::mcp

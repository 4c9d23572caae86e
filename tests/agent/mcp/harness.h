#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/servers.h"
#include "core/json/field.h"
#include "support/temp_folder.h"

namespace ralph::mcp {

inline ServerConfig program(std::string name, std::vector<std::string> words = {}) {
  ServerConfig config;
  config.name = std::move(name);
  config.source = "dynamic";
  config.where = "--mcp-config";
  config.command = RALPH_BUILD "/fake_mcp_server";
  config.args = std::move(words);
  return config;
}

/// A client that answers by a function.
class ScriptedLink final : public ClientLink {
 public:
  using Answer = std::function<Result<json::Document>(const json::Document& message,
                                                      const std::stop_token& stop)>;
  explicit ScriptedLink(Answer answer) : answer_(std::move(answer)) {}
  Result<json::Document> exchange(const std::string& server, const json::Document& message,
                                  std::optional<Millis> limit,
                                  const std::stop_token& stop) override {
    EXPECT_EQ(server, "inside");
    EXPECT_EQ(limit.has_value(), !message.contains("id"));  // nothing else ends a notification
    return answer_(message, stop);
  }

 private:
  Answer answer_;
};

/// A server inside the client.
inline ServerConfig inside() {
  ServerConfig config;
  config.name = "inside";
  config.kind = ServerConfig::Kind::client;
  return config;
}

/// The servers of a session, with a workspace for their tools.
struct Session {
  explicit Session(SearchPolicy policy = {.when = SearchPolicy::When::never},
                   Millis call_limit = Millis{60'000}, Millis start_limit = Millis{60'000},
                   ClientLink* link = nullptr)
      : servers(surroundings(call_limit, start_limit, link), policy), workspace(setup()) {}
  explicit Session(ClientLink& link)
      : Session({.when = SearchPolicy::When::never}, Millis{60'000}, Millis{60'000}, &link) {}

  Surroundings surroundings(Millis call_limit, Millis start_limit, ClientLink* link) {
    Surroundings made;
    made.cwd = folder.path();
    made.client_version = "0";
    made.call_limit = call_limit;
    made.start_limit = start_limit;
    made.link = link;
    made.warn = [this](std::string_view line) { (warnings += line) += '\n'; };
    return made;
  }
  tool::Workspace::Setup setup() const {
    tool::Workspace::Setup made;
    made.root = folder.path();
    return made;
  }

  /// Adds the server and waits until its state is known.
  std::string start(ServerConfig config) {
    servers.add(std::move(config));
    servers.wait({});
    return std::string(to_string(servers.states().back().status));
  }
  const tool::Tool* find(std::string_view name) {
    for (const auto* tool : servers.tools({})) {
      if (tool->name() == name) return tool;
    }
    return nullptr;
  }
  /// "text", or "error: text".
  std::string call(const std::string& name, const json::Document& input = json::Document::object(),
                   const std::stop_token& stop = {}) {
    const auto* const tool = find(name);
    if (tool == nullptr) return "no tool " + name;
    auto access = tool->access(input, workspace);
    access.call_id = "toolu_1";
    last = tool->run(input, access, workspace, stop);
    const auto content = *json::parse(last.content);
    std::string text;
    if (content.is_string()) text = content.get<std::string>();
    for (const auto& block : content.is_array() ? content : json::Document::array()) {
      text += json::text(block, "text");
    }
    return (last.is_error.value_or(false) ? "error: " : "") + text;
  }

  const test::TempFolder folder;
  std::string warnings;
  Servers servers;
  tool::Workspace workspace;
  tool::Outcome last;
};

}  // namespace ralph::mcp

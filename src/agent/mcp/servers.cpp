#include "agent/mcp/servers.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace ralph::mcp {

Servers::Servers(Surroundings surroundings, SearchPolicy policy)
    : surroundings_(std::move(surroundings)), deferred_(policy) {
  surroundings_.on_failed_call = [this](std::string_view tool) { return deferred_.load(tool); };
}

/// All end at the same time.
Servers::~Servers() {
  for (auto& server : servers_) server.remove();
}

void Servers::add(ServerConfig config) {
  const std::lock_guard lock(mutex_);
  add_locked(std::move(config));
}

void Servers::add_locked(ServerConfig config) {
  const auto key = normalized_name(config.name);
  const auto known = std::ranges::find_if(
      servers_, [&](const Server& server) { return !server.removed() && server.key() == key; });
  if (known != servers_.end()) {
    if (config == known->config() || !surroundings_.warn) return;
    return surroundings_.warn(fmt::format(
        "ralph: MCP server '{}' of {} is left out: its tools would have the names of those of "
        "'{}' of {}",
        config.name, config.where, known->config().name, known->config().where));
  }
  auto& server = servers_.emplace_back(std::move(config), surroundings_);
  if (server.config().kind != ServerConfig::Kind::client) server.start();
}

std::vector<Server*> Servers::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Server*> all;
  for (auto& server : servers_) {
    if (!server.removed()) all.push_back(&server);
  }
  return all;
}

/// A removed server stays in the list, because calls and requests may still refer to its tools.
ServerChanges Servers::replace(std::vector<ServerConfig> configs) {
  using Lifetime = ServerConfig::Lifetime;
  for (auto& config : configs) config.lifetime = Lifetime::until_replaced;
  const std::lock_guard lock(mutex_);
  ServerChanges changes;
  for (auto& server : servers_) {
    if (server.removed() || server.config().lifetime != Lifetime::until_replaced) continue;
    if (std::ranges::find(configs, server.config()) != configs.end()) continue;
    changes.removed.push_back(server.config().name);
    server.remove();
  }
  for (const auto& config : configs) {
    const auto before = servers_.size();
    add_locked(config);
    if (servers_.size() > before) changes.added.push_back(config.name);
  }
  return changes;
}

void Servers::wait(const std::stop_token& stop) {
  const auto servers = all();
  for (auto* server : servers) server->start();
  for (auto* server : servers) {
    server->wait(stop);
    const auto failure = server->take_failure();
    if (!failure || !surroundings_.warn || stop.stop_requested() || server->removed()) continue;
    surroundings_.warn(fmt::format("ralph: MCP server '{}' ({}) failed to start: {}",
                                   server->config().name, server->config().where,
                                   describe(*failure)));
  }
}

std::vector<ServerState> Servers::states() const {
  std::vector<ServerState> states;
  for (const auto* server : all()) {
    states.push_back({.name = server->config().name,
                      .status = server->status(),
                      .source = server->config().source,
                      .info = server->server_info(),
                      .tools = server->tools()});
  }
  return states;
}

std::vector<const tool::Tool*> Servers::tools(const std::stop_token& stop) {
  for (auto* server : all()) server->refresh(stop);
  const std::lock_guard lock(mutex_);
  std::vector<const ServerTool*> now;
  for (const auto& server : servers_) {
    if (!server.removed()) std::ranges::copy(server.tools(), std::back_inserter(now));
  }
  std::vector<const tool::Tool*> tools(now.begin(), now.end());
  update_search_locked(deferred_.update(std::move(now)));
  if (!searches_.empty()) tools.push_back(searches_.back().get());
  return tools;
}

/// A new one whenever its description changes.
void Servers::update_search_locked(bool deferred) {
  if (!deferred) return;
  auto search = std::make_unique<ToolSearch>(deferred_);
  const bool same = !searches_.empty() && searches_.back()->description() == search->description();
  if (!same) searches_.push_back(std::move(search));
}

const ServerTool* Servers::find(std::string_view name) const {
  for (const auto* server : all()) {
    for (const auto* tool : server->tools()) {
      if (tool->name() == name) return tool;
    }
  }
  return nullptr;
}

}  // namespace ralph::mcp

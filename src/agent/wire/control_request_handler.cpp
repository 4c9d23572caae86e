#include "agent/wire/control_request_handler.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agent/settings/claude_version.h"
#include "agent/settings/settings.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"
#include "core/model/model.h"

namespace ralph::wire {
namespace {

/// The commands that a client can offer to its user.
std::string commands_json(const instructions::Skills& skills) {
  auto commands = json::Document::array();
  for (const auto& [name, skill] : skills.all()) {
    commands.push_back({{"name", name},
                        {"description", skill.description},
                        {"argumentHint", skill.argument_hint}});
  }
  return json::write(commands);
}

/// Clients treat an empty list as an error.
std::string models_json() {
  auto models = json::Document::array();
  models.push_back({{"value", "default"},
                    {"displayName", "Default"},
                    {"description", "the model of the settings, or ralph's default"}});
  for (const auto* const alias : {"opus", "sonnet", "haiku"}) {
    const auto* model = model::Table::builtin().find(alias);
    if (model == nullptr) continue;
    models.push_back({{"value", alias}, {"displayName", alias}, {"description", model->id}});
  }
  return json::write(models);
}

/// Servers inside the client, by their names.
void add_client_servers(const ControlRequest& request, mcp::Servers& servers) {
  const auto parsed = json::parse(request.request);
  if (!parsed) return;
  for (auto& name : json::texts(*parsed, "sdkMcpServers")) {
    mcp::ServerConfig server;
    server.name = std::move(name);
    server.kind = mcp::ServerConfig::Kind::client;
    server.source = "dynamic";
    server.where = "initialize";
    servers.add(std::move(server));
  }
}

}  // namespace

void ControlRequestHandler::handle(const ControlRequest& request) {
  struct Row {
    std::string_view subtype;
    void (ControlRequestHandler::*handle)(const ControlRequest&);
  };
  static constexpr auto kRows = std::to_array<Row>({
      {"initialize", &ControlRequestHandler::initialize},
      {"interrupt", &ControlRequestHandler::interrupt},
      {"mcp_set_servers", &ControlRequestHandler::mcp_set_servers},
      {"mcp_status", &ControlRequestHandler::mcp_status},
      {"set_model", &ControlRequestHandler::set_model},
  });
  const auto* row = std::ranges::find(kRows, request.subtype, &Row::subtype);
  if (row != kRows.end()) return (this->*row->handle)(request);
  refuse(request.id, "Unsupported control request subtype: " + request.subtype,
         "unsupported_request");
}

/// A client may rely on its hooks to restrict the agent, so a session without them must be refused.
std::string ControlRequestHandler::unsupported(const ControlRequest& request) const {
  const auto parsed = json::parse(request.request);
  if (!parsed || !parsed->is_object()) return {};
  const auto asks_for = [&](const char* key, std::string_view feature) {
    const auto found = parsed->find(key);
    return found != parsed->end() && !found->empty() && !settings::accepts(options_, feature);
  };
  constexpr std::string_view kNotYet =
      "{} are not supported by ralph's agent yet; use --accept-unsupported {} to continue without "
      "them";
  if (asks_for("hooks", settings::kHooks)) return fmt::format(kNotYet, "hooks", settings::kHooks);
  return {};
}

void ControlRequestHandler::initialize(const ControlRequest& request) {
  if (const auto why = unsupported(request); !why.empty()) {
    return refuse(request.id, why, "unsupported_request");
  }
  if (const auto taken = prompt_.take(request.request); !taken) {
    return refuse(request.id, taken.error().message, "invalid_request");
  }
  add_client_servers(request, servers_);
  std::string payload;
  json::ObjectWriter(payload)
      .raw("commands", commands_json(skills_))
      .raw("agents", "[]")
      .raw("models", models_json())
      .raw("account", "{}")
      .text("output_style", "default")
      .raw("available_output_styles", R"(["default"])")
      .number("pid", std::int64_t{::getpid()})
      .text("claude_code_version", settings::kClaudeVersion)
      .close();
  succeed(request.id, payload);
}

/// The response comes before the result of the interrupted turn.
void ControlRequestHandler::interrupt(const ControlRequest& request) {
  succeed(request.id, R"({"still_queued":[]})");
  control_.interrupt();
}

void ControlRequestHandler::mcp_status(const ControlRequest& request) {
  std::string payload;
  json::ObjectWriter(payload).raw("mcpServers", servers_.status_json()).close();
  succeed(request.id, payload);
}

/// The configuration is the client's: variables are not replaced.
void ControlRequestHandler::mcp_set_servers(const ControlRequest& request) {
  constexpr std::string_view kWhere = "mcp_set_servers";
  const auto parsed = json::parse(request.request);
  std::vector<mcp::ServerConfig> configs;
  auto errors = json::Document::object();
  const auto given = parsed ? json::member(*parsed, "servers") : json::Document();
  if (!given.is_object()) {
    return refuse(request.id, "'servers' must be an object", "invalid_request");
  }
  for (const auto& [name, server] : given.items()) {
    const auto read = mcp::read_servers({{name, server}}, kWhere, "dynamic", [](std::string_view) {
      return std::optional<std::string>();
    });
    if (read) configs.push_back(read->front());
    if (!read) errors[name] = read.error().message;
  }
  const auto changes = servers_.replace(kWhere, configs);
  succeed(request.id, json::write({{"added", changes.added},
                                   {"removed", changes.removed},
                                   {"errors", std::move(errors)}}));
}

void ControlRequestHandler::set_model(const ControlRequest& request) {
  const auto parsed = json::parse(request.request);
  std::string wanted;
  if (parsed && parsed->is_object()) {
    const auto model = parsed->find("model");
    const bool given = model != parsed->end() && !model->is_null();
    if (given && !model->is_string())
      return refuse(request.id, "'model' must be a string", "invalid_request");
    if (given) wanted = model->get<std::string>();
  }
  std::string payload;
  json::ObjectWriter(payload).text("model", model_.choose(wanted)).close();
  succeed(request.id, payload);
}

void ControlRequestHandler::succeed(std::string_view id, std::string_view payload) {
  std::string response;
  json::ObjectWriter writer(response);
  writer.text("subtype", "success").raw("request_id", id);
  if (!payload.empty()) writer.raw("response", payload);
  writer.close();
  std::string line;
  json::ObjectWriter(line).text("type", "control_response").raw("response", response).close();
  writer_.event(line);
}

void ControlRequestHandler::refuse(std::string_view id, std::string_view error,
                                   std::string_view code) {
  std::string response;
  json::ObjectWriter(response)
      .text("subtype", "error")
      .raw("request_id", id)
      .text("error", error)
      .text("error_code", code)
      .close();
  std::string line;
  json::ObjectWriter(line).text("type", "control_response").raw("response", response).close();
  writer_.event(line);
}

}  // namespace ralph::wire

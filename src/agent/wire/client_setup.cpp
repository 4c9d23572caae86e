#include "agent/wire/client_setup.h"

#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/server_config.h"
#include "agent/session/structured_output.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

using json::Document;

std::unexpected<Error> wrong(std::string_view member, std::string_view expected) {
  return fail(Code::malformed, fmt::format("initialize: '{}' must be {}", member, expected));
}

Result<std::optional<std::vector<std::string>>> text_list(const Document& object,
                                                          const std::string& name) {
  const auto& list = json::member(object, name);
  if (list.is_null()) return std::nullopt;
  if (!json::is_text_list(list)) return wrong(name, "a list of strings");
  return json::texts(list);
}

Result<std::optional<std::vector<std::string>>> server_names(const Document& request) {
  TRY_ASSIGN(auto names, text_list(request, "sdkMcpServers"));
  if (!names) return names;
  for (const auto& name : *names) {
    const auto valid = mcp::check_server_name(name);
    if (valid) continue;
    return fail(Code::malformed, fmt::format("initialize: 'sdkMcpServers': server '{}': {}", name,
                                             valid.error().message));
  }
  return names;
}

Result<std::optional<std::string>> read_text(const Document& request, const char* name) {
  const auto& text = json::member(request, name);
  if (text.is_null()) return std::nullopt;
  if (!text.is_string()) return wrong(name, "a string");
  return text.get<std::string>();
}

template <typename T>
void replace(std::optional<T>& old, std::optional<T>&& given) {
  if (given) old = std::move(given);
}

}  // namespace

Result<ClientSetup> read_client_setup(const Document& request) {
  ClientSetup setup;
  TRY_ASSIGN(setup.sdk_mcp_servers, server_names(request));
  TRY_ASSIGN(setup.title, read_text(request, "title"));
  TRY_ASSIGN(setup.plan_mode_note, read_text(request, "planModeInstructions"));
  setup.forward_subagent_text = json::member(request, "forwardSubagentText") == true;
  const auto& schema = json::member(request, "jsonSchema");
  if (!schema.is_null()) {
    setup.json_schema = json::write(schema);
    TRY(session::StructuredOutput::make(*setup.json_schema));
  }
  return setup;
}

void ClientSetupStore::add(ClientSetup setup) {
  const std::lock_guard lock(mutex_);
  replace(setup_.sdk_mcp_servers, std::move(setup.sdk_mcp_servers));
  replace(setup_.json_schema, std::move(setup.json_schema));
  replace(setup_.title, std::move(setup.title));
  replace(setup_.plan_mode_note, std::move(setup.plan_mode_note));
  setup_.forward_subagent_text = setup_.forward_subagent_text || setup.forward_subagent_text;
}

std::optional<std::string> ClientSetupStore::take_title() {
  const std::lock_guard lock(mutex_);
  return std::exchange(setup_.title, std::nullopt);
}

ClientSetup ClientSetupStore::get() const {
  const std::lock_guard lock(mutex_);
  return setup_;
}

}  // namespace ralph::wire

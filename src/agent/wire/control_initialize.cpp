#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agent/settings/claude_version.h"
#include "agent/wire/control_requests_impl.h"
#include "core/json/field.h"

/// The request a client begins with: what the session must be, and what it can be.
namespace ralph::wire {
namespace {

using json::Document;

/// Registers the client's hooks.
Result<> set_hooks(AgentParts& parts, const Document& hooks) {
  TRY_ASSIGN(const auto ignored, parts.hooks.set_callbacks(hooks));
  for (const auto& event : ignored) {
    warn(parts.setup, fmt::format("ralph: the client's hooks for {} have no effect", event));
  }
  return {};
}

Document account(const AgentParts& parts) {
  const auto& login = parts.prepared.login;
  const bool key = !login.credential.api_key.empty();
  return {{"tokenSource", key ? "none" : login.source},
          {"apiKeySource", key ? login.source : "none"},
          {"apiProvider", "firstParty"}};
}

Document description(const AgentParts& parts) {
  return {{"commands", command_list(parts)},
          {"agents", agent_list(parts)},
          {"output_style", "default"},
          {"available_output_styles", output_style_list()},
          {"models", model_list(parts)},
          {"account", account(parts)},
          {"pid", ::getpid()},
          {"claude_code_version", settings::kClaudeVersion},
          {"current_permission_mode", to_string(parts.policy.mode())},
          {"fast_mode_state", "off"}};
}

}  // namespace

json::Document agent_list(const AgentParts& parts) {
  auto list = Document::array();
  for (const auto& agent : parts.prepared.agents->all()) {
    if (!agent.problem.empty()) continue;
    Document shown{{"name", agent.name}, {"description", agent.description}};
    if (!agent.model.empty()) shown["model"] = agent.model;
    list.push_back(std::move(shown));
  }
  return list;
}

/// What is refused changes nothing.
ControlReply serve_initialize(AgentParts& parts, const Document& request) {
  auto setup = read_client_setup(request);
  if (!setup) return refusal(setup.error().message, "invalid_request");
  auto prompt = instructions::read_prompt_texts(request);
  if (!prompt) return refusal(prompt.error().message, "invalid_request");
  const auto& given = json::member(request, "agents");
  auto agents =
      instructions::read_agents(given.is_null() ? Document::object() : given, "initialize");
  if (!agents) return refusal(describe(agents.error()), "invalid_request");
  const auto& hooks = json::member(request, "hooks");
  if (!hooks.is_null()) {
    if (const auto set = set_hooks(parts, hooks); !set) {
      return refusal(set.error().message, "invalid_request");
    }
  }
  parts.client_prompt.set(*std::move(prompt));
  parts.prepared.agents->add(*std::move(agents));
  if (setup->sdk_mcp_servers) add_client_servers(parts, *setup->sdk_mcp_servers);
  parts.client_setup.add(*std::move(setup));
  auto reply = success(description(parts));
  if (!hooks.is_null()) (*reply.payload)["hooks_applied"] = true;
  (*reply.payload)["hook_on_failure_supported"] = true;
  reply.beside["pending_permission_requests"] = parts.client.waiting("can_use_tool");
  return reply;
}

}  // namespace ralph::wire

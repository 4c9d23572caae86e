#include "agent/wire/api_model.h"

#include <algorithm>

#include "agent/settings/endpoint.h"

namespace ralph::wire {

void ApiModel::connect(const Connection& connection, std::string_view session_id,
                       std::string_view agent_id) {
  if (!connection.login.found()) return;
  api::RetryPolicy policy;
  if (const auto most = connection.environment.number("CLAUDE_CODE_MAX_RETRIES")) {
    policy.max_retries = static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1000));
  }
  if (connection.environment.on("IS_SANDBOX")) policy.scarce_models.clear();
  if (!connection.options.fallback_models.empty()) {
    policy.scarce_models = {""};  // any model: fall back soon
  }
  auto endpoint = settings::endpoint_for(connection.environment, connection.login,
                                         connection.version, session_id);
  if (!agent_id.empty()) endpoint.headers.add("x-claude-code-agent-id", std::string(agent_id));
  client_.emplace(std::move(endpoint), policy);
}

api::Answer ApiModel::ask(const api::Request& request, api::Listener& listener,
                          const std::stop_token& stop) {
  return client_->ask(request, listener, stop);
}

}  // namespace ralph::wire

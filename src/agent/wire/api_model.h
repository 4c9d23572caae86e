#pragma once
#include <optional>

#include "agent/api/client.h"
#include "agent/session/collaborators.h"
#include "agent/settings/credential.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"

namespace ralph::wire {

/// Endpoint and credential of the API.
struct Connection {
  const settings::Options& options;
  const settings::Environment& environment;
  const settings::Login& login;
  std::string_view version;  // of ralph
};

/// The model behind the Messages API.
class ApiModel final : public session::Model {
 public:
  /// Requests carry the session's id, and that of the subagent they are for.
  ApiModel(const Connection& connection, std::string_view session_id,
           std::string_view agent_id = {}) {
    connect(connection, session_id, agent_id);
  }
  /// For another session. Stays unavailable without a credential.
  void connect(const Connection& connection, std::string_view session_id,
               std::string_view agent_id = {});

  bool available() const override { return client_.has_value(); }
  api::Answer ask(const api::Request& request, api::Listener& listener,
                  const std::stop_token& stop) override;

 private:
  std::optional<api::Client> client_;  // nullopt: there is no credential
};

}  // namespace ralph::wire

#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "agent/api/client.h"
#include "agent/settings/environment.h"
#include "agent/settings/settings.h"
#include "core/base/result.h"

namespace ralph::settings {

/// Who pays.
struct Login {
  api::Credential credential;      // empty: none found
  std::string source = "none";     // as `init` names it
  std::vector<std::string> notes;  // worth telling on stderr

  bool found() const { return !credential.api_key.empty() || !credential.token.empty(); }
};

/// ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN (both, when both are set), the user's apiKeyHelper, our own stored key; the
/// first that is there. Fails where a cloud provider is asked for, which we do not speak to.
Result<Login> find_login(const Environment& environment, const Settings& settings,
                         const std::stop_token& stop);

}  // namespace ralph::settings

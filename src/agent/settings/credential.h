#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "agent/api/client.h"
#include "agent/settings/environment.h"
#include "agent/settings/settings.h"
#include "core/base/result.h"

namespace ralph::settings {

/// The credential for the API, and where it came from.
struct Login {
  api::Credential credential;      // empty: none found
  std::string source = "none";     // as `init` names it
  std::vector<std::string> notes;  // for stderr

  bool found() const { return !credential.api_key.empty() || !credential.token.empty(); }
};

/// The first of: ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN (both, if both are set), the user's apiKeyHelper, the key that
/// `ralph auth login` stored. Fails if a cloud provider is requested: those are not supported.
Result<Login> find_login(const Environment& environment, const Settings& settings,
                         const std::stop_token& stop);

}  // namespace ralph::settings

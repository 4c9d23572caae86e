#pragma once
#include <string>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/plan.h"

namespace ralph::backend {

/// What an agent authenticates with. Never holds a secret.
struct Credential {
  enum class Kind { none, api_key, token, login, cloud, helper };
  Kind kind = Kind::none;
  std::string source;      // "ANTHROPIC_API_KEY", "/root/.claude/.credentials.json"
  std::string words;       // "API key in ANTHROPIC_API_KEY (billed per use)"
  bool for_proxy = false;  // a key or token that a proxy can add to each request
};

/// Every credential found for Claude Code, the one it would use first: a cloud provider, ANTHROPIC_AUTH_TOKEN,
/// ANTHROPIC_API_KEY, the apiKeyHelper of the user's settings, CLAUDE_CODE_OAUTH_TOKEN, the stored login.
std::vector<Credential> claude_credentials(const Host& host);
/// The same for ralph's own agent: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, the apiKeyHelper, the key of
/// 'ralph auth login'.
std::vector<Credential> own_credentials(const Host& host);
/// A login is stored (`.credentials.json` in CLAUDE_CONFIG_DIR or ~/.claude).
bool has_stored_login(const Host& host);

}  // namespace ralph::backend

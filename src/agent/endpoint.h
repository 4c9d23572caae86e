#pragma once
#include <string_view>

#include "agent/credential.h"
#include "agent/environment.h"
#include "api/client.h"

namespace ralph::agent {

/// Where the model is asked, and as whom: ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS, API_TIMEOUT_MS.
/// `version` is ralph's.
api::Endpoint endpoint_of(const Environment& environment, const Login& login,
                          std::string_view session_id, std::string_view version);

/// CLAUDE_CODE_MAX_RETRIES.
api::RetryPolicy retry_policy(const Environment& environment);

}  // namespace ralph::agent

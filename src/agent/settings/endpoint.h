#pragma once
#include <string_view>

#include "agent/api/client.h"
#include "agent/settings/credential.h"
#include "agent/settings/environment.h"

namespace ralph::settings {

/// URL, headers and timeouts of the API. `version`: of ralph.
api::Endpoint endpoint_for(const Environment& environment, const Login& login,
                           std::string_view version, std::string_view session_id);

}  // namespace ralph::settings

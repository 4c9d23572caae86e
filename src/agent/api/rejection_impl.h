#pragma once
// Private to this module's .cpp files.
#include <string_view>

#include "agent/api/failure.h"

namespace ralph::api {

/// Reads what an endpoint says about a request it rejected; `status`: as status_of() has it.
Rejection read_rejection(int status, std::string_view message);

}  // namespace ralph::api

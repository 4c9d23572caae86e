#pragma once
#include "harness/backend/plan.h"
#include "harness/stream/outcome.h"

namespace ralph::backend {

/// Adds what the backend knows about its agent: the source of the API key, how to log in, and
/// whether stderr_line says that the agent refused its command line or its settings.
void add_backend_details(const Backend& backend, Auth auth, const Host& host,
                         stream::ProcessEnd& end);

}  // namespace ralph::backend

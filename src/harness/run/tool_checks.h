#pragma once
#include "harness/backend/backend.h"
#include "harness/run/checkup.h"

namespace ralph::run {

/// Programs that ralph and its agent use: version and path, or what is lost without them.
Check check_git(const backend::Host& host);
Check check_ripgrep(const backend::Host& host);

/// Where requests to the model go, without a user and password; empty: a cloud, or unknown.
std::string model_endpoint(const backend::Backend& backend, const backend::Host& host);
/// Connects to the model API, with TLS, and sends nothing: no key leaves the machine. Takes three seconds at most.
Check check_endpoint(const backend::Backend& backend, const backend::Host& host);

}  // namespace ralph::run

// What the doctor finds out about programs and the network.
#include "harness/run/tool_checks.h"

#include <fmt/core.h>

#include "harness/run/model_route.h"
#include "harness/run/versions.h"
#include "system/http/client.h"

namespace ralph::run {
namespace {

using Level = Check::Level;

constexpr Millis kConnectPatience{3000};

Check check_program(std::string_view name, std::string_view without, std::string_view package,
                    Level level, const backend::Host& host) {
  const auto path = backend::find_program(name, host);
  if (!path) {
    return {level, name, fmt::format("not found: {}", without),
            fmt::format("install the package '{}'", package)};
  }
  const auto version = Versions(Versions::usual_cache(host)).ask(*path, host);
  return {version ? Level::ok : Level::warning,
          name,
          fmt::format("{} ({})", version ? *version : version.error().message, path->native()),
          {}};
}

}  // namespace

Check check_git(const backend::Host& host) {
  return check_program("git", "no --commit, no 'ralph undo', no report of changed files", "git",
                       Level::warning, host);
}

Check check_ripgrep(const backend::Host& host) {
  return check_program("rg", "ralph's own agent has no Grep and Glob tools", "ripgrep", Level::note,
                       host);
}

std::string model_endpoint(const backend::Backend& backend, const backend::Host& host) {
  const auto& access = backend.access;
  for (const auto& cloud : access.clouds) {
    if (!backend::variable(host, cloud.chosen_by).value_or("").empty()) return {};
  }
  const auto given = backend::variable(host, access.endpoint_variable).value_or("");
  const auto address = given.empty() ? std::string(access.endpoint) : given;
  return address.contains("://") ? without_user(address) : std::string();
}

Check check_endpoint(const backend::Backend& backend, const backend::Host& host) {
  const auto& access = backend.access;
  for (const auto& cloud : access.clouds) {
    if (const auto value = backend::variable(host, cloud.chosen_by); value && !value->empty()) {
      return {Level::note, "model API", fmt::format("not tried: {} is set", cloud.chosen_by), {}};
    }
  }
  http::ClientRequest request;
  request.url = backend::variable(host, access.endpoint_variable).value_or("");
  const bool given = !request.url.empty();
  if (!given) request.url = access.endpoint;
  request.connect_timeout = kConnectPatience;
  request.connect_only = true;
  const auto connected = http::Client().send(request, {});
  if (connected) return {Level::ok, "model API", "reachable: " + without_user(request.url), {}};
  const auto& error = connected.error();
  if (error.failure == http::Failure::bad_request) {
    const auto shown = request.url.contains('@') ? "" : fmt::format(" '{}'", request.url);
    return {Level::blocks, "model API",
            fmt::format("{}{} is not an http:// or https:// URL", access.endpoint_variable, shown),
            fmt::format("for example {}", access.endpoint)};
  }
  const auto from = given ? fmt::format(" (from {})", access.endpoint_variable) : std::string();
  return {Level::warning, "model API", "unreachable: " + error.message + from, error.hint};
}

}  // namespace ralph::run

#include "harness/run/model_route.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "harness/backend/credentials.h"
#include "harness/run/mounts_impl.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Credential;
using backend::Host;

constexpr std::size_t kLargestCredentialFile = std::size_t{1} << 20;

std::unexpected<Error> not_possible(const backend::ModelAccess& access, std::string_view what) {
  return fail(Code::usage,
              fmt::format("--sandbox=strict needs an API key, which ralph's proxy adds outside the "
                          "sandbox; {}",
                          what),
              fmt::format("set {} (with a stored login: and --auth api-key), or use --sandbox",
                          access.key_variable));
}

/// Removes the key from an agent that uses its stored login.
bool key_is_hidden(const process::Command& command, std::string_view name) {
  for (auto change = command.env.rbegin(); change != command.env.rend(); ++change) {
    if (change->name == name) return change->value.value_or("").empty();
  }
  return false;
}

/// Of the file that 'ralph auth login' wrote.
std::string stored_key(const fs::path& file) {
  const auto text = read_file(file, kLargestCredentialFile);
  if (!text) return {};
  const auto document = json::parse(*text);
  return document ? json::text(*document, "api_key") : std::string();
}

Result<> set_secret(backend::ModelRoute& route, const backend::ModelAccess& access,
                    const Credential& credential, const Host& host) {
  const bool in_file = credential.source.starts_with('/');
  auto secret = in_file ? stored_key(credential.source)
                        : backend::variable(host, credential.source).value_or("");
  if (secret.find_first_of("\r\n") != secret.npos || secret.empty()) {
    return not_possible(access, fmt::format("{} holds none", credential.source));
  }
  const bool key = credential.kind == Credential::Kind::api_key;
  route.header = key ? access.api.key_header : "authorization";
  route.secret = key ? std::move(secret) : "Bearer " + secret;
  return {};
}

Result<Credential> credential_of(const backend::Plan& plan, const process::Command& command,
                                 const Host& host) {
  const auto& access = plan.backend->access;
  for (const auto& credential : access.credentials(host)) {
    if (key_is_hidden(command, credential.source)) continue;
    if (credential.for_proxy) return credential;
    return not_possible(access, "this would be paid by " + credential.words);
  }
  return not_possible(access, "none was found");
}

}  // namespace

std::string without_user(std::string_view address) {
  const auto begin = address.find("://") + 3;
  const auto authority = address.substr(begin, address.find_first_of("/?#", begin) - begin);
  const auto at = authority.rfind('@');
  if (at == authority.npos) return std::string(address);
  return std::string(address.substr(0, begin)).append(address.substr(begin + at + 1));
}

Result<> route_to_model(Mounts& mounts, backend::Plan& plan, process::Command& command,
                        const Host& host, std::string_view run_id) {
  const auto& access = plan.backend->access;
  if (access.credentials == nullptr) {
    plan.notes.push_back(
        "the sandbox has no network: ralph does not know which endpoint the command needs");
    return {};
  }
  backend::ModelRoute route;
  route.api = access.api;
  TRY_ASSIGN(const auto credential, credential_of(plan, command, host));
  TRY(set_secret(route, access, credential, host));
  route.endpoint = backend::variable(host, access.endpoint_variable).value_or("");
  if (route.endpoint.empty()) route.endpoint = access.endpoint;
  route.endpoint = std::string(trim_end(route.endpoint, "/"));
  if (!route.endpoint.starts_with("http://") && !route.endpoint.starts_with("https://")) {
    return fail(Code::usage,
                fmt::format("{} is not an http or https address", access.endpoint_variable));
  }
  route.token = "ralph-sandbox-" + random_hex(32);
  route.socket = host.root() / ".ralph" / "tmp" / fmt::format("model-{}.sock", run_id);
  TRY_ASSIGN(const auto ralph, backend::own_executable());
  mounts.show_program(ralph, host);
  command.argv.insert(command.argv.begin(),
                      {ralph.string(), std::string(kSandboxInit), route.socket.string(), "--"});
  plan.notes.push_back(
      fmt::format("the sandbox has no network but for {}", without_user(route.endpoint)));
  plan.route = std::move(route);
  return {};
}

std::vector<process::EnvChange> environment_of_route(const backend::Backend& backend,
                                                     const backend::ModelRoute& route) {
  const auto here = fmt::format("http://127.0.0.1:{}", kModelPort);
  auto env = backend.access.through_proxy(here, route.token);
  // Whatever else is asked for is refused by the proxy with a reason, instead of an unreachable network.
  for (const auto* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}) {
    env.push_back({name, here});
  }
  for (const auto* name : {"NO_PROXY", "no_proxy"}) env.push_back({name, "127.0.0.1,localhost"});
  return env;
}

}  // namespace ralph::run

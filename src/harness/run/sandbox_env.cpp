#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/base/mask.h"
#include "harness/run/sandbox_env_impl.h"

namespace ralph::run {
namespace {

using backend::Host;
using backend::SandboxLevel;

/// Ways to programs outside that act for the user; and RALPH_ENV, which may hold what a strict sandbox must not.
constexpr auto kEndpoints = std::to_array<std::string_view>({
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "SESSION_MANAGER",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "RALPH_ENV",
    "SYSTEMD_EXEC_PID",
    "NOTIFY_SOCKET",
    "INVOCATION_ID",
    "TMUX",
    "TMUX_PANE",
    "STY",
});

constexpr std::size_t kShortestKey = 8;

bool one_of(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

/// glibc reads these in every program it starts.
bool is_for_loader(std::string_view name) {
  return name.starts_with("LD_") || name.starts_with("GLIBC_") || name.starts_with("MALLOC_") ||
         name == "GCONV_PATH" || name == "LOCPATH";
}

/// "postgres://user:password@host".
bool has_password(std::string_view value) {
  const auto scheme = value.find("://");
  if (scheme == value.npos) return false;
  const auto end = value.find_first_of("/?#", scheme + 3);
  const auto authority = value.substr(scheme + 3, end - scheme - 3);
  return authority.substr(0, authority.find('@')).contains(':') && authority.contains('@');
}

bool pays(const Host& host, const backend::Backend* backend, std::string_view name) {
  if (backend == nullptr || host.sandbox == SandboxLevel::strict) return false;
  // ralph does not know which key the command of the user wants.
  const auto& access = backend->access;
  if (access.key_variable.empty()) return name.ends_with("_API_KEY");
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(access.paying_prefixes, begins)) return true;
  return std::ranges::any_of(access.clouds, [&](const backend::Cloud& cloud) {
    return name.starts_with(cloud.prefix) &&
           !backend::variable(host, cloud.chosen_by).value_or("").empty();
  });
}

using Values = std::map<std::string, std::optional<std::string>, std::less<>>;

Values inherited(const Host& host) {
  Values values;
  for (const std::string_view entry : host.environment) {
    const auto equals = entry.find('=');
    if (equals == entry.npos) continue;
    values.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return values;
}

/// The keys themselves, by whatever name they are passed.
std::vector<std::string> key_values(const Values& values,
                                    const std::vector<process::EnvChange>& env) {
  std::vector<std::string> keys;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (backend::is_credential(name) && value.size() >= kShortestKey) keys.push_back(value);
  };
  for (const auto& [name, value] : values) add(name, value.value_or(""));
  for (const auto& change : env) add(change.name, change.value.value_or(""));
  return keys;
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value, const Masker& shapes) {
  if (value.empty()) return false;
  return looks_secret(name) || backend::is_credential(name) || has_password(value) ||
         !shapes.find_key_shape(value).empty();
}

SandboxEnv sandbox_env(const Host& host, const std::vector<process::EnvChange>& env,
                       const backend::Backend* backend, EnvFor whom) {
  SandboxEnv result;
  const Masker shapes(std::vector<std::string>{});
  const auto remove = [&](const std::string& name) {
    result.changes.push_back({name, std::nullopt});
  };
  auto loader = inherited(host);
  const bool no_key = whom == EnvFor::command || host.sandbox == SandboxLevel::strict;
  const auto keys = no_key ? key_values(loader, env) : std::vector<std::string>();
  const auto holds_key = [&](std::string_view value) {
    return std::ranges::any_of(keys, [&](const auto& key) { return value.contains(key); });
  };
  for (const auto& [name, value] : inherited(host)) {
    const bool kept = whom == EnvFor::agent && pays(host, backend, name);
    if (one_of(kEndpoints, name)) remove(name);
    if (!holds_key(*value) && (kept || !is_secret(name, *value, shapes))) continue;
    if (!backend::is_credential(name)) result.removed.push_back(name);
    remove(name);
  }
  // What the user sets for this run is passed on, but for the key where it must not be.
  for (const auto& change : env) {
    if (no_key && (backend::is_credential(change.name) || holds_key(change.value.value_or("")))) {
      remove(change.name);
    } else if (change.value) {
      std::erase_if(result.changes, [&](const auto& other) { return other.name == change.name; });
      std::erase(result.removed, change.name);
    }
    loader.insert_or_assign(change.name, change.value);
  }
  for (const auto& [name, value] : loader) {
    if (!is_for_loader(name)) continue;
    remove(name);
    if (value) result.words.insert(result.words.end(), {"--setenv", name, *value});
  }
  return result;
}

}  // namespace ralph::run

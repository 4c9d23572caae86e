#include "agent/settings/endpoint.h"

#include <algorithm>

#include <fmt/core.h>

#include "agent/settings/claude_version.h"

namespace ralph::settings {

api::Endpoint endpoint_for(const Environment& environment, const Login& login,
                           std::string_view version, std::string_view session_id) {
  api::Endpoint endpoint;
  if (auto base = environment.get("ANTHROPIC_BASE_URL"); !base.empty()) endpoint.base_url = base;
  endpoint.credential = login.credential;
  endpoint.headers.add("user-agent",
                       fmt::format("ralph/{} (claude-cli/{} compatible)", version, kClaudeVersion));
  endpoint.headers.add("x-app", "cli");
  endpoint.headers.add("x-claude-code-session-id", std::string(session_id));
  const auto custom = environment.get("ANTHROPIC_CUSTOM_HEADERS");
  for (std::size_t at = 0; at < custom.size();) {
    const auto end = std::min(custom.find('\n', at), custom.size());
    const auto line = std::string_view(custom).substr(at, end - at);
    const auto colon = line.find(':');
    if (colon != line.npos && colon > 0) {
      auto value = line.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
      endpoint.headers.add(std::string(line.substr(0, colon)), std::string(value));
    }
    at = end + 1;
  }
  if (const auto limit = environment.number("API_TIMEOUT_MS"); limit && *limit > 0) {
    endpoint.connect_timeout = std::min(endpoint.connect_timeout, Millis{*limit});
    endpoint.head_timeout = Millis{*limit};
    endpoint.stall_timeout = std::min(endpoint.stall_timeout, Millis{*limit});
  }
  return endpoint;
}

}  // namespace ralph::settings

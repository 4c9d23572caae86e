#include "harness/backend/process_end.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "harness/backend/credentials.h"
#include "harness/backend/plan.h"

namespace ralph::backend {
namespace {

/// What the parsers of command lines print, in lower case: commander, clap, argparse, getopt, Go's
/// flag.
constexpr auto kUsageErrors = std::to_array<std::string_view>({
    "unknown option",
    "unknown argument",
    "unknown flag",
    "unrecognized option",
    "unrecognized argument",
    "unexpected argument '-",
    "invalid option",
    "invalid choice",
    "invalid value '",
    "is invalid. allowed choices are",
    "argument missing",
    "flag provided but not defined",
});

std::optional<stream::StartRefusal> refusal_of(const Backend& backend,
                                               const std::string& stderr_line) {
  const auto line = to_lower(stderr_line);
  const bool usage = std::ranges::any_of(
      kUsageErrors, [&](std::string_view error) { return line.contains(error); });
  if (usage) return stream::StartRefusal::command_line;
  if (!backend.settings_error.empty() && stderr_line.starts_with(backend.settings_error)) {
    return stream::StartRefusal::settings;
  }
  return std::nullopt;
}

/// Empty: the agent uses another credential than an API key, or ralph does not know which.
std::string api_key_source(const Backend& backend, Auth auth, const Host& host) {
  if (backend.access.credentials == nullptr || hides_key(backend, auth, host)) return {};
  const auto found = backend.access.credentials(host);
  const bool is_key = !found.empty() && found.front().kind == Credential::Kind::api_key;
  return is_key ? found.front().source : std::string();
}

}  // namespace

void add_backend_details(const Backend& backend, Auth auth, const Host& host,
                         stream::ProcessEnd& end) {
  end.key_source = api_key_source(backend, auth, host);
  end.auth_hint = agent_behind(backend, host).auth_hint;
  end.refusal = refusal_of(backend, end.stderr_line);
}

}  // namespace ralph::backend

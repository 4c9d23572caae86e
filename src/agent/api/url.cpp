#include <fmt/core.h>

#include "agent/api/client.h"
#include "system/http/message.h"

namespace ralph::api {
namespace {

constexpr std::string_view kHint = "for example https://api.anthropic.com";

std::string_view without_end(std::string_view text, std::string_view end) {
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.ends_with(end)) text.remove_suffix(end.size());
  return text;
}

/// The rest after "http://" or "https://"; empty: no scheme, or no rest.
std::string_view behind_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (http::equal_ignoring_case(url.substr(0, scheme.size()), scheme)) {
      return url.substr(scheme.size());
    }
  }
  return {};
}

}  // namespace

Result<std::string> messages_url(std::string_view base_url) {
  const auto rest = behind_scheme(base_url);
  if (rest.empty() || rest.front() == '/') {
    const auto shown = base_url.contains('@') ? "" : fmt::format(" '{}'", base_url);
    return fail(Code::usage,
                fmt::format("ANTHROPIC_BASE_URL{} is not an http:// or https:// URL", shown),
                std::string(kHint));
  }
  constexpr std::string_view kForbidden("?# \t\r\n\0", 7);
  if (rest.find_first_of(kForbidden) != rest.npos) {
    return fail(Code::usage, "ANTHROPIC_BASE_URL contains a space, '?' or '#'", std::string(kHint));
  }
  const auto base = without_end(without_end(without_end(base_url, "/messages"), "/v1"), "");
  return fmt::format("{}/v1/messages", base);
}

}  // namespace ralph::api

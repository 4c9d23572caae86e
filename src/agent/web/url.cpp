#include "agent/web/url.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/text.h"

namespace ralph::web {
namespace {

constexpr std::size_t kLongestUrl = 2000;

std::unexpected<Error> invalid(std::string_view why) {
  return fail(Code::usage, fmt::format("invalid URL: {}", why));
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.ends_with(']') &&
           host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdef:.") == host.npos;
  }
  return !host.empty() && std::ranges::all_of(host, is_host_character);
}

bool is_port(std::string_view port) {
  return port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
}

/// Blanks, control characters and everything outside ASCII.
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && byte < 0x7f && c != '"' && c != '<' && c != '>';
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", byte);
    }
  }
  return encoded;
}

std::string_view without_www(std::string_view host) {
  if (host.starts_with("www.")) host.remove_prefix(4);
  return host;
}

/// Host and port.
Result<Url> parse_authority(std::string_view text, bool secure) {
  if (text.contains('@')) return invalid("it contains a user name or password");
  const auto bracket = text.find(']');
  const auto colon = text.find(':', bracket == text.npos ? 0 : bracket);
  Url url{.secure = secure,
          .host = to_lower(text.substr(0, colon)),
          .port = colon == text.npos ? "" : std::string(text.substr(colon + 1)),
          .rest = {}};
  while (url.host.ends_with('.')) url.host.pop_back();
  if (!is_host(url.host)) return invalid("its host is not a name or an address in ASCII");
  if (!is_port(url.port)) return invalid("its port is not a number");
  if (url.port == (secure ? "443" : "80")) url.port.clear();
  return url;
}

}  // namespace

std::string Url::text() const {
  return fmt::format("{}://{}{}{}{}", secure ? "https" : "http", host, port.empty() ? "" : ":",
                     port, rest);
}

Result<Url> parse_url(std::string_view given) {
  const auto text = trim(given);
  if (text.size() > kLongestUrl) return invalid(fmt::format("over {} characters", kLongestUrl));
  const auto colon = text.find("://");
  if (colon == text.npos) return invalid("it does not begin with https://");
  const auto scheme = to_lower(text.substr(0, colon));
  if (scheme != "http" && scheme != "https") {
    return invalid(fmt::format("'{}' is not http or https", scheme));
  }
  const auto behind = text.substr(colon + 3);
  const auto end = std::min(behind.find_first_of("/?#\\"), behind.size());
  TRY_ASSIGN(auto url, parse_authority(behind.substr(0, end), scheme == "https"));
  const auto rest = behind.substr(end, behind.find('#') - end);
  if (rest.starts_with('\\')) return invalid("it contains a backslash");
  url.rest = (rest.starts_with('/') ? "" : "/") + percent_encoded(rest);
  return url;
}

Result<Url> resolve(const Url& base, std::string_view given) {
  const auto location = trim(given);
  if (location.empty()) return invalid("it is empty");
  const auto path = base.rest.substr(0, base.rest.find('?'));
  const auto colon = location.find("://");
  if (colon != location.npos && colon < location.find_first_of("/?#")) return parse_url(location);
  if (location.starts_with("//")) {
    return parse_url(fmt::format("{}:{}", base.secure ? "https" : "http", location));
  }
  auto origin = base;
  origin.rest.clear();
  if (location.starts_with('/')) return parse_url(origin.text() + std::string(location));
  if (location.starts_with('?')) return parse_url(origin.text() + path + std::string(location));
  const auto folder = path.substr(0, path.rfind('/') + 1);
  return parse_url(origin.text() + folder + std::string(location));
}

bool is_same_site(const Url& a, const Url& b) {
  return a.secure == b.secure && a.port == b.port && without_www(a.host) == without_www(b.host);
}

}  // namespace ralph::web

#pragma once
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::web {

/// A URL of a page: http or https, without user information, its host in ASCII. The parts are all there is, so a decision
/// about the host is about the host that is connected to.
struct Url {
  bool secure = true;
  std::string host;  // lower case, without a final dot; an IPv6 address in brackets
  std::string port;  // empty: the usual one
  std::string rest;  // path and query, from "/" on

  std::string text() const;
  bool operator==(const Url&) const = default;
};

Result<Url> parse_url(std::string_view text);
/// Where the Location of a redirect leads.
Result<Url> resolve(const Url& base, std::string_view location);
/// Scheme, port and host are the same, except for a leading "www.".
bool is_same_site(const Url& a, const Url& b);

}  // namespace ralph::web

#pragma once
#include <string_view>

struct sockaddr;

namespace ralph::http {

/// Whether an address belongs to the public internet: not to this machine, a private or local network, or a range reserved
/// for other uses. An IPv6 address that stands for an IPv4 address is judged by that.
bool is_public(const sockaddr& address);

/// Whether the host of a URL is, by its spelling alone, not on the public internet: an address that is not public in any
/// notation that resolvers understand, a name without a dot, or one that is reserved for local use.
bool is_local_host(std::string_view host);

}  // namespace ralph::http

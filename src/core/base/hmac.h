#pragma once
#include <string>
#include <string_view>

namespace ralph {

/// HMAC-SHA256 (RFC 2104) as 64 lower-case hex digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

/// The time does not depend on where the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace ralph

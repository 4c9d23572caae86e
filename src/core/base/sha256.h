#pragma once
#include <string>
#include <string_view>

namespace ralph {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace ralph

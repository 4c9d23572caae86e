#pragma once
#include <string>
#include <string_view>

namespace ralph::permission {

/// Why a well-formed deny or ask rule can match no call; empty: it can.
std::string why_no_match(std::string_view rule);

}  // namespace ralph::permission

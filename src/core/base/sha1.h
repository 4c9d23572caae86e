#pragma once
#include <string>
#include <string_view>

namespace ralph {

/// SHA-1 as 40 lower-case hex digits: the ids of git's objects. Not for security: collisions can be made.
std::string sha1_hex(std::string_view bytes);

}  // namespace ralph

#pragma once
#include <string>
#include <string_view>

namespace ralph::tool {

/// With padding, on one line.
std::string base64(std::string_view bytes);

}  // namespace ralph::tool

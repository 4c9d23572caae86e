#pragma once
#include <string_view>

namespace ralph::loop {

/// The text of Template::builtin().
std::string_view builtin_template();

}  // namespace ralph::loop

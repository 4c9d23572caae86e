#pragma once
// Private to this module's .cpp files.
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::loop {

/// Code::permission: what verification is made of is not what it was.
std::unexpected<Error> changed(std::string_view what, std::string_view path,
                               std::string_view when = "since the loop began");

}  // namespace ralph::loop

#pragma once
#include <string_view>

#include "core/base/result.h"

namespace ralph::json {

/// Why `text`, which does not parse, is not JSON: the reason, line, column and surroundings, and a
/// remedy where one is known. Slow and exact; never for texts that may be good.
/// `otherwise` is the reason when none can be found.
Error diagnose(std::string_view text, std::string_view name, std::string_view otherwise);

}  // namespace ralph::json

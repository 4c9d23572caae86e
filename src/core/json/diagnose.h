#pragma once
#include <string_view>

#include "core/base/result.h"

namespace ralph::json {

/// Why `text`, which does not parse, is not JSON: the reason, line, column and surroundings, and a
/// remedy if one is known. Slow; only for texts that failed to parse.
/// `otherwise` is the reason when none can be found.
Error diagnose(std::string_view text, std::string_view name, std::string_view otherwise);

}  // namespace ralph::json

#pragma once
#include <string>
#include <string_view>

#include "core/base/mask.h"

namespace ralph::json {

/// A JSON text with the secrets in its string values masked. Keys, numbers and layout stay as they
/// are, so the result is valid JSON whenever `text` was.
std::string mask(std::string_view text, const Masker& masker);

}  // namespace ralph::json

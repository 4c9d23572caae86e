#pragma once
#include <string_view>

#include "core/json/document.h"

namespace ralph::tool {

/// Models sometimes write numbers and booleans as strings. Converts members of `input` that `schema` declares as numbers
/// or booleans if their text is exactly one. Everything else stays unchanged and fails the schema check.
void coerce(json::Document& input, std::string_view schema);

}  // namespace ralph::tool

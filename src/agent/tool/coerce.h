#pragma once
#include <string_view>

#include "core/json/document.h"

namespace ralph::tool {

/// Models write numbers and booleans as texts now and then: members of `input` that `schema` wants to be a number or a
/// boolean become one where their text is exactly that. Everything else stays as it is, for the schema to judge.
void coerce(json::Document& input, std::string_view schema);

}  // namespace ralph::tool

#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/document.h"

namespace ralph::json {

// A member of an object, for who takes what others wrote. What is missing, of another type, or in no object at all says
// nothing.

/// null: there is none.
const Document& member(const Document& object, std::string_view key);
std::string text(const Document& object, std::string_view key);
bool boolean(const Document& object, std::string_view key);
std::int64_t integer(const Document& object, std::string_view key);
std::optional<double> number(const Document& object, std::string_view key);

}  // namespace ralph::json

#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ralph::json {

/// Repairs known errors of JavaScript programs in otherwise valid JSON: lone surrogate escapes
/// and invalid UTF-8 become U+FFFD, a byte order mark in front is dropped. nullopt: nothing to repair.
/// Never changes a text that was valid; repairing twice changes nothing more.
std::optional<std::string> repair(std::string_view text);

/// Whole numbers too long for 64 bits get a ".0", so that parsers read them as doubles; JavaScript writes
/// such numbers as plain digits.
std::string long_integers_as_doubles(std::string_view text);

}  // namespace ralph::json

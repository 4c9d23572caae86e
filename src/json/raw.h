#pragma once
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace ralph::json {

/// A member's name or an element's number on the way down into a JSON text.
using Step = std::variant<std::string_view, std::size_t>;

/// The value at the end of the path, as it is written in `text`; empty when it is not there.
/// For texts a parser has accepted; on others it finds nothing or something, but stays in bounds.
std::string_view locate(std::string_view text, std::initializer_list<Step> path);

}  // namespace ralph::json

#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph::utf8 {

bool valid(std::string_view text);

/// A copy in which every byte that is not part of well-formed UTF-8 became U+FFFD.
std::string repaired(std::string_view text);

/// Code points; a byte that is not part of well-formed UTF-8 counts as one.
std::size_t count(std::string_view text);

/// The longest prefix of at most `bytes` bytes that ends between code points.
std::string_view prefix(std::string_view text, std::size_t bytes);

/// The longest suffix of at most `bytes` bytes that begins at a code point.
std::string_view suffix(std::string_view text, std::size_t bytes);

/// At most `count` code points; a cut is marked with "…".
std::string shortened(std::string_view text, std::size_t count);

/// Appends one code point; surrogates and values out of range become U+FFFD.
void append(std::string& out, char32_t code_point);

}  // namespace ralph::utf8

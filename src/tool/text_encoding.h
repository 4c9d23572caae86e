#pragma once
#include <string>
#include <string_view>

namespace ralph::tool {

/// How a file's bytes hold its text, by the byte order mark they begin with.
enum class Encoding { utf8, utf8_marked, utf16_little, utf16_big };
Encoding encoding_of(std::string_view bytes);
inline bool is_utf16(Encoding encoding) {
  return encoding == Encoding::utf16_little || encoding == Encoding::utf16_big;
}

/// The text without its mark. UTF-16 becomes UTF-8, unpaired surrogates and an odd last byte U+FFFD; UTF-8 stays as it is.
std::string decoded(std::string_view bytes, Encoding encoding);
/// The bytes of a text, with the mark. Invalid UTF-8 becomes U+FFFD in UTF-16.
std::string encoded(std::string_view text, Encoding encoding);

}  // namespace ralph::tool

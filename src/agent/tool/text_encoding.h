#pragma once
#include <string>
#include <string_view>

namespace ralph::tool {

/// The encoding of a file by its byte order mark.
enum class Encoding { utf8, utf8_marked, utf16_little, utf16_big };
Encoding encoding_of(std::string_view bytes);
inline bool is_utf16(Encoding encoding) {
  return encoding == Encoding::utf16_little || encoding == Encoding::utf16_big;
}

/// The text without its mark. UTF-16 becomes UTF-8, unpaired surrogates and an odd last byte U+FFFD; UTF-8 is unchanged.
std::string decoded(std::string_view bytes, Encoding encoding);
/// The bytes of a text, with the mark. Invalid UTF-8 becomes U+FFFD in UTF-16.
std::string encoded(std::string_view text, Encoding encoding);

/// Describes a file that is not UTF-8, for messages.
inline constexpr std::string_view kOtherEncoding =
    "it has a legacy encoding such as Windows-1252, Shift-JIS or GBK, or is binary";

/// Whether a file is binary by its first bytes: a NUL in the first 8 KB, in UTF-16 as a code point.
bool is_binary(std::string_view head);

/// Checks whether a text that arrives in pieces is valid UTF-8.
class Utf8Check {
 public:
  void feed(std::string_view piece);
  /// For the pieces so far; an incomplete last code point is invalid only with `at_end`.
  bool valid(bool at_end) const { return valid_ && !(at_end && !rest_.empty()); }

 private:
  bool valid_ = true;
  std::string rest_;  // an incomplete code point
};

}  // namespace ralph::tool

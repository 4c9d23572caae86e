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

/// What a file that is not UTF-8 has, for messages.
inline constexpr std::string_view kOtherEncoding =
    "it has a legacy encoding such as Windows-1252, Shift-JIS or GBK, or is binary";

/// Whether the first bytes of a file are not those of a text: NUL in the first 8 KB, of UTF-16 as a code point.
bool is_binary(std::string_view head);

/// Whether a text that arrives in pieces is UTF-8.
class Utf8Check {
 public:
  void feed(std::string_view piece);
  /// Of the pieces so far; a code point that is not complete yet counts as invalid only with `at_end`.
  bool valid(bool at_end) const { return valid_ && !(at_end && !rest_.empty()); }

 private:
  bool valid_ = true;
  std::string rest_;  // the beginning of a code point
};

}  // namespace ralph::tool

#include "core/json/repair.h"

#include <charconv>

#include "core/base/utf8.h"

namespace ralph::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kEscapeLength = 6;  // \uXXXX

enum class Escape { none, high_surrogate, low_surrogate, other };

/// What kind of \uXXXX stands at `at`; none: no complete one.
Escape escape_at(std::string_view text, std::size_t at) {
  if (text.size() < at + kEscapeLength || text[at] != '\\' || text[at + 1] != 'u') {
    return Escape::none;
  }
  unsigned unit = 0;
  const char* const end = text.data() + at + kEscapeLength;
  if (std::from_chars(text.data() + at + 2, end, unit, 16).ptr != end) return Escape::none;
  if (unit >= 0xD800 && unit <= 0xDBFF) return Escape::high_surrogate;
  if (unit >= 0xDC00 && unit <= 0xDFFF) return Escape::low_surrogate;
  return Escape::other;
}

bool is_pair(std::string_view text, std::size_t at) {
  return escape_at(text, at) == Escape::high_surrogate &&
         escape_at(text, at + kEscapeLength) == Escape::low_surrogate;
}

/// Outside strings valid JSON has no backslash, so every one counts as the start of an escape.
std::optional<std::string> mend_escapes(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (auto at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const Escape escape = escape_at(text, at);
    if (is_pair(text, at)) {
      at += 2 * kEscapeLength;
    } else if (escape == Escape::high_surrogate || escape == Escape::low_surrogate) {
      out.append(text, copied, at - copied).append("\\ufffd");
      at += kEscapeLength;
      copied = at;
    } else {
      at += 2;
    }
  }
  if (copied == 0) return std::nullopt;
  out.append(text, copied);
  return out;
}

/// The end of the string whose opening quote is at `at`: one past its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

}  // namespace

std::optional<std::string> repair(std::string_view text) {
  const auto whole_size = text.size();
  while (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  auto mended = mend_escapes(text);
  if (mended) text = *mended;
  if (!utf8::valid(text)) return utf8::repaired(text);
  if (mended) return mended;
  if (text.size() != whole_size) return std::string(text);
  return std::nullopt;
}

std::string long_integers_as_doubles(std::string_view text) {
  constexpr std::size_t kLongestInt64 = 18;  // digits that always fit
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    auto end = at + 1;
    if (text[at] == '"') {
      end = end_of_string(text, at);
    } else if (text[at] >= '0' && text[at] <= '9') {
      end = std::min(text.find_first_not_of("0123456789.eE+-", at), text.size());
    }
    const auto token = text.substr(at, end - at);
    out += token;
    if (token.size() > kLongestInt64 && token.find_first_not_of("0123456789") == token.npos) {
      out += ".0";
    }
    at = end;
  }
  return out;
}

}  // namespace ralph::json

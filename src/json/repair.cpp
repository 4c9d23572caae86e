#include "json/repair.h"

#include <charconv>

#include "base/utf8.h"

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

}  // namespace ralph::json

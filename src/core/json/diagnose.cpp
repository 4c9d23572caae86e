#include "core/json/diagnose.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/document.h"

namespace ralph::json {
namespace {

/// Finds the first error without building anything.
class Locator final : public nlohmann::json_sax<Document> {
 public:
  std::size_t position = std::string::npos;  // of the byte that is wrong; npos: no error found
  std::string reason;
  bool too_deep = false;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool parse_error(std::size_t read, const std::string&,
                   const nlohmann::json::exception& error) override {
    position = read == 0 ? 0 : read - 1;
    reason = reason_of(error.what());
    return false;
  }

 private:
  bool enter() {
    too_deep = ++depth_ > kMaxDepth;
    return !too_deep;
  }
  bool leave() {
    --depth_;
    return true;
  }

  /// The core of "[json.exception…] parse error at …: syntax error while … - CORE; last read: '…'".
  static std::string reason_of(std::string_view what) {
    const auto skip_past = [&](std::string_view mark) {
      if (const auto at = what.find(mark); at != what.npos) what.remove_prefix(at + mark.size());
    };
    skip_past("] ");
    if (what.starts_with("parse error")) skip_past(" - ");
    return utf8::shortened(what.substr(0, what.find("; last read")), 80);
  }

  std::size_t depth_ = 0;
};

std::string excerpt(std::string_view text, std::size_t position) {
  constexpr std::size_t kBefore = 24;
  constexpr std::size_t kAfter = 16;
  const auto before = utf8::prefix(text, position > kBefore ? position - kBefore : 0).size();
  std::string piece(utf8::prefix(text.substr(before), position - before + kAfter));
  std::replace_if(
      piece.begin(), piece.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return piece;
}

/// Both counted from 1; a column is a code point.
std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t position) {
  const auto before = text.substr(0, position);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column =
      std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return {static_cast<std::size_t>(line) + 1, static_cast<std::size_t>(column) + 1};
}

struct Remedy {
  char wrong;     // the byte where parsing stopped
  char previous;  // the last byte before it that is not a space; 0: any
  std::string_view hint;
};
constexpr std::array<Remedy, 5> kRemedies{{
    {'}', ',', "JSON allows no comma before a closing bracket"},
    {']', ',', "JSON allows no comma before a closing bracket"},
    {'\'', 0, "JSON strings stand in double quotes"},
    {'/', 0, "JSON has no comments"},
    {'#', 0, "JSON has no comments"},
}};

std::string_view hint_for(std::string_view text, std::size_t position) {
  if (position >= text.size()) return "the text ends too early; was it cut off?";
  const auto last = text.substr(0, position).find_last_not_of(kBlanks);
  const char previous = last == text.npos ? '\0' : text[last];
  for (const auto& remedy : kRemedies) {
    if (text[position] == remedy.wrong && (remedy.previous == 0 || remedy.previous == previous)) {
      return remedy.hint;
    }
  }
  return {};
}

}  // namespace

Error diagnose(std::string_view text, std::string_view name, std::string_view otherwise) {
  if (is_blank(text)) {
    return {Code::malformed, fmt::format("{} is empty", name), "a JSON value is needed"};
  }
  Locator locator;
  const bool good = Document::sax_parse(text.begin(), text.end(), &locator);
  if (locator.too_deep) {
    return {Code::limit, fmt::format("{} is nested more than {} levels deep", name, kMaxDepth), {}};
  }
  if (good || locator.position == std::string::npos) {
    return {Code::malformed, fmt::format("{} is not valid JSON: {}", name, otherwise), {}};
  }
  const auto position = std::min(locator.position, text.size());
  const auto [line, column] = line_and_column(text, position);
  return {Code::malformed,
          fmt::format("{}: {} at line {}, column {}, near '{}'", name, locator.reason, line, column,
                      excerpt(text, position)),
          std::string(hint_for(text, position))};
}

}  // namespace ralph::json

#include "agent/instructions/frontmatter.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"

namespace ralph::instructions {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kDelimiter = "---";
/// A value of this form is on the lines below.
constexpr std::array<std::string_view, 6> kBelow{"|", ">", "|-", ">-", "|+", ">+"};

/// Removes the first line and returns it without its line end.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_delimiter(std::string_view line) {
  return line.starts_with(kDelimiter) && is_blank(line.substr(kDelimiter.size()));
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string_view without_leading_blank_lines(std::string_view text) {
  for (auto rest = text; !rest.empty();) {
    if (!is_blank(take_line(rest))) return text;
    text = rest;
  }
  return text;
}

/// Reads the lines of the frontmatter.
class FieldReader {
 public:
  explicit FieldReader(MarkdownText& text) : fields_(text.fields) {}

  void take(std::string_view line) {
    if (is_blank(line)) return;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    const auto colon = line.find(':');
    if (indented) {
      add(trim(line));
    } else if (line.front() != '#' && colon != line.npos) {
      begin(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
    } else {
      value_ = nullptr;
    }
  }

 private:
  /// The first value of a key wins.
  void begin(std::string_view key, std::string_view value) {
    const auto [entry, fresh] = fields_.try_emplace(std::string(key));
    value_ = fresh ? &entry->second : nullptr;
    if (fresh && std::ranges::find(kBelow, value) == kBelow.end()) *value_ = unquoted(value);
  }
  void add(std::string_view more) {
    if (value_ == nullptr) return;
    if (!value_->empty()) *value_ += ' ';
    *value_ += more;
  }

  std::map<std::string, std::string, std::less<>>& fields_;
  std::string* value_ = nullptr;  // that an indented line continues
};

/// nullopt: there is no frontmatter.
std::optional<MarkdownText> with_fields(std::string_view text) {
  if (!is_delimiter(take_line(text))) return std::nullopt;
  MarkdownText parsed;
  FieldReader reader(parsed);
  while (!text.empty()) {
    const auto line = take_line(text);
    if (is_delimiter(line)) {
      parsed.body = without_leading_blank_lines(text);
      return parsed;
    }
    reader.take(line);
  }
  return std::nullopt;
}

}  // namespace

std::string_view MarkdownText::value(std::string_view key) const {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string_view() : found->second;
}

bool MarkdownText::is_true(std::string_view key) const { return value(key) == "true"; }

MarkdownText parse_frontmatter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto parsed = with_fields(text)) return *std::move(parsed);
  return {{}, std::string(without_leading_blank_lines(text))};
}

}  // namespace ralph::instructions

#include "agent/instructions/frontmatter.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/settings/text.h"

namespace ralph::instructions {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kFence = "---";
/// What announces that the value is on the lines below.
constexpr std::array<std::string_view, 6> kBelow{"|", ">", "|-", ">-", "|+", ">+"};

/// Cuts the first line off, without its end.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_fence(std::string_view line) {
  return line.starts_with(kFence) && settings::is_blank(line.substr(kFence.size()));
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string_view without_blank_lines_in_front(std::string_view text) {
  for (auto rest = text; !rest.empty();) {
    if (!settings::is_blank(take_line(rest))) return text;
    text = rest;
  }
  return text;
}

/// Reads the lines of a head, one after the other.
class HeadReader {
 public:
  explicit HeadReader(Fronted& fronted) : head_(fronted.head) {}

  void take(std::string_view line) {
    if (settings::is_blank(line)) return;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    const auto colon = line.find(':');
    if (indented) {
      add(settings::trimmed(line));
    } else if (line.front() != '#' && colon != line.npos) {
      begin(settings::trimmed(line.substr(0, colon)), settings::trimmed(line.substr(colon + 1)));
    } else {
      value_ = nullptr;
    }
  }

 private:
  /// The first of two values for a key counts.
  void begin(std::string_view key, std::string_view value) {
    const auto [entry, fresh] = head_.try_emplace(std::string(key));
    value_ = fresh ? &entry->second : nullptr;
    if (fresh && std::ranges::find(kBelow, value) == kBelow.end()) *value_ = unquoted(value);
  }
  void add(std::string_view more) {
    if (value_ == nullptr) return;
    if (!value_->empty()) *value_ += ' ';
    *value_ += more;
  }

  std::map<std::string, std::string, std::less<>>& head_;
  std::string* value_ = nullptr;  // what an indented line belongs to
};

/// nullopt: there is no head.
std::optional<Fronted> with_head(std::string_view text) {
  if (!is_fence(take_line(text))) return std::nullopt;
  Fronted fronted;
  HeadReader reader(fronted);
  while (!text.empty()) {
    const auto line = take_line(text);
    if (is_fence(line)) {
      fronted.body = without_blank_lines_in_front(text);
      return fronted;
    }
    reader.take(line);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Fronted::value(std::string_view key) const {
  const auto found = head.find(key);
  return found == head.end() ? std::string_view() : found->second;
}

bool Fronted::is_true(std::string_view key) const { return value(key) == "true"; }

Fronted split_front(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto fronted = with_head(text)) return *std::move(fronted);
  return {{}, std::string(without_blank_lines_in_front(text))};
}

}  // namespace ralph::instructions

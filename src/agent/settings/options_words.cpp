#include <algorithm>
#include <utility>

#include "agent/settings/options_impl.h"
#include "core/base/text.h"

namespace ralph::settings {

std::vector<std::string_view> names_of(const OptionRow& row) {
  std::vector<std::string_view> names;
  for (auto word : split_blanks(row.flags)) {
    if (!word.starts_with('-')) break;
    if (word.ends_with(',')) word.remove_suffix(1);
    names.push_back(word);
  }
  return names;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
    const auto end = std::min(text.find(' ', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  if (trim(text).empty()) return parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    parts.emplace_back(trim(text.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> split_rules(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    const bool divides = depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n');
    if (!divides) part += c;
    if (divides && !part.empty()) parts.push_back(std::exchange(part, {}));
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace ralph::settings

#include "core/base/names.h"

#include <algorithm>

#include <fmt/core.h>

namespace ralph {

std::string join_names(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kMost); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  return paths.size() > kMost ? fmt::format("{} and {} more", text, paths.size() - kMost) : text;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string grouped(std::int64_t number) {
  auto text = fmt::format("{}", number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string counted(std::int64_t number, std::string_view thing) {
  const auto* const ending = number == 1 ? "" : thing.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", grouped(number), thing, ending);
}

}  // namespace ralph

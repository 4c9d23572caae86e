#include "system/git/ignore_rules.h"

#include <algorithm>

#include "system/git/path_glob.h"

namespace ralph::git {
namespace {

/// Of patterns with "*", which take time.
constexpr std::size_t kLongestRule = 1000;

/// Blanks at the end do not count, unless a backslash is before them.
std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

std::string escaped(std::string_view folder) {
  std::string text;
  for (const char c : folder) {
    if (std::string_view("*?[\\").contains(c)) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

void IgnoreRules::add(std::string_view folder, std::string_view text) {
  const auto prefix = folder.empty() ? std::string() : escaped(folder) + '/';
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    auto line = without_end(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.empty() || line.starts_with('#')) continue;
    Rule rule;
    rule.negated = line.starts_with('!');
    if (rule.negated) line.remove_prefix(1);
    rule.only_folders = line.ends_with('/');
    if (rule.only_folders) line.remove_suffix(1);
    const bool anchored = line.contains('/');
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty() || line.size() > kLongestRule) continue;
    rule.pattern = prefix + (anchored ? "" : "**/") + std::string(line);
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const auto decides = [&](const Rule& rule) {
    return (is_folder || !rule.only_folders) && glob_matches(rule.pattern, path, false);
  };
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), decides);
  return last != rules_.rend() && !last->negated;
}

}  // namespace ralph::git

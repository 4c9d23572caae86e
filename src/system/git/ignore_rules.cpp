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

bool is_plain(std::string_view text) { return text.find_first_of("*?[\\") == text.npos; }

}  // namespace

void IgnoreRules::add(std::string_view folder, std::string_view text) {
  const auto prefix = folder.empty() ? std::string() : std::string(folder) + '/';
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
    using enum Rule::Kind;
    const bool is_end = line.starts_with('*') && is_plain(line.substr(1));
    rule.kind = anchored ? glob : is_plain(line) ? name : is_end ? name_end : glob;
    rule.folder = prefix;
    rule.pattern = rule.kind == name_end ? line.substr(1)
                   : rule.kind == name   ? line
                                         : (anchored ? "" : "**/") + std::string(line);
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::Rule::matches(std::string_view path) const {
  if (!path.starts_with(folder)) return false;
  path.remove_prefix(folder.size());
  const auto last = path.substr(path.rfind('/') + 1);
  switch (kind) {
    case Kind::name: return last == pattern;
    case Kind::name_end: return last.ends_with(pattern);
    case Kind::glob: return glob_matches(pattern, path, false);
  }
  return false;
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const auto decides = [&](const Rule& rule) {
    return (is_folder || !rule.only_folders) && rule.matches(path);
  };
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), decides);
  return last != rules_.rend() && !last->negated;
}

}  // namespace ralph::git

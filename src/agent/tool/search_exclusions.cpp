#include "agent/tool/search_exclusions.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "agent/permission/rule.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
using Parts = std::span<const std::string>;

/// The positions in a pattern that may match next after the parts of a directory: true at 0 … pattern.size().
std::vector<bool> reached(Parts pattern, Parts folder) {
  std::vector<bool> now(pattern.size() + 1);
  const auto set = [&](std::vector<bool>& places, std::size_t at) {
    places[at] = true;
    while (at < pattern.size() && pattern[at] == "**") places[++at] = true;  // it may match nothing
  };
  set(now, 0);
  for (const auto& name : folder) {
    std::vector<bool> next(pattern.size() + 1);
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (!now[at]) continue;
      if (pattern[at] == "**") {
        set(next, at);
      } else if (permission::matches_name(pattern[at], name)) {
        set(next, at + 1);
      }
    }
    if (now[pattern.size()]) next[pattern.size()] = true;  // below a match
    now = std::move(next);
  }
  return now;
}

/// Escapes a name, so that it matches only itself.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("*?[]{}\\!# ").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

/// The length of the bracket expression at the start of a pattern; 0: not closed.
std::size_t bracket_length(std::string_view pattern) {
  std::size_t at = pattern.starts_with("[!") || pattern.starts_with("[^") ? 2 : 1;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const auto end = pattern.substr(at).starts_with("[:") ? pattern.find(":]", at) : pattern.npos;
    if (end != pattern.npos) {
      at = end + 2;
    } else {
      at += pattern[at] == '\\' && at + 1 < pattern.size() ? 2 : 1;
    }
  }
  return at < pattern.size() ? at + 1 : 0;
}

bool is_plain_bracket(std::string_view bracket) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return bracket.substr(1, bracket.size() - 2).find_first_not_of(kPlain) == bracket.npos;
}

/// One part of a rule in ripgrep's syntax, where braces are alternatives and a character is a byte. What ripgrep cannot
/// express becomes one to four bytes: it excludes too much rather than too little.
std::string as_ripgrep_glob(std::string_view part) {
  constexpr std::string_view kAnyCharacter = "{?,??,???,????}";
  if (part == "**") return std::string(part);
  std::string glob;
  while (!part.empty()) {
    std::size_t length = 1;
    if (part[0] == '*') {
      if (!glob.ends_with('*') || glob.ends_with("\\*")) glob += '*';
    } else if (part[0] == '?') {
      glob += kAnyCharacter;
    } else if (part[0] == '[' && bracket_length(part) > 0) {
      length = bracket_length(part);
      const auto bracket = part.substr(0, length);
      glob += is_plain_bracket(bracket) ? bracket : kAnyCharacter;
    } else {
      length = part[0] == '\\' && part.size() > 1 ? 2 : 1;
      glob += escaped(part.substr(length - 1, 1));
    }
    part.remove_prefix(length);
  }
  return glob;
}

}  // namespace

std::vector<std::string> globs_below(std::vector<std::string> pattern, const fs::path& folder,
                                     Below below, const Translate& translate) {
  const auto repeats = [](const std::string& a, const std::string& b) {
    return a == "**" && b == "**";
  };
  pattern.erase(std::ranges::unique(pattern, repeats).begin(), pattern.end());
  const auto parts = permission::path_parts(folder);
  const auto places = reached(pattern, parts);
  std::vector<std::string> globs;
  std::string rest;
  for (auto at = pattern.size(); at-- > 0;) {
    rest = "/" + (translate ? translate(pattern[at]) : pattern[at]) + rest;
    if (places[at]) globs.push_back(rest);
  }
  if (places[pattern.size()] && below == Below::included) globs.emplace_back("/**");
  return globs;
}

std::vector<std::string> exclusion_options(const fs::path& folder, const Workspace& workspace) {
  std::set<std::string> globs;
  for (const auto& text : workspace.setup().unreadable) {
    for (const auto& pattern : permission::restricting_patterns(text, workspace.setup().root)) {
      auto parts = permission::path_parts(pattern.base);
      for (auto& part : parts) part = escaped(part);
      parts.insert(parts.end(), pattern.parts.begin(), pattern.parts.end());
      for (auto& glob : globs_below(std::move(parts), folder, Below::included, as_ripgrep_glob)) {
        globs.insert(std::move(glob));
      }
    }
  }
  std::vector<std::string> options;
  for (const auto& glob : globs) options.push_back("--glob=!" + glob);
  return options;
}

}  // namespace ralph::tool

#include "system/git/path_glob.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/core.h>

namespace ralph::git {
namespace {

constexpr std::size_t kLongestPattern = 1000;

/// One step of a pattern: how many of its bytes it has, and what it matches.
struct Token {
  enum class Kind { byte, any, set, star, stars } kind = Kind::byte;
  std::size_t length = 1;
};

constexpr std::array<std::pair<std::string_view, int (*)(int)>, 12> kClasses{{
    {"alnum", std::isalnum},
    {"alpha", std::isalpha},
    {"blank", std::isblank},
    {"cntrl", std::iscntrl},
    {"digit", std::isdigit},
    {"graph", std::isgraph},
    {"lower", std::islower},
    {"print", std::isprint},
    {"punct", std::ispunct},
    {"space", std::isspace},
    {"upper", std::isupper},
    {"xdigit", std::isxdigit},
}};

/// The "]" that ends a set; not that of a class, "[:digit:]", in it, and not one in its first place.
std::size_t end_of_set(std::string_view pattern, std::size_t at) {
  const bool negated =
      pattern.substr(at + 1).starts_with('!') || pattern.substr(at + 1).starts_with('^');
  const auto first = at + (negated ? 2 : 1);
  for (auto i = first; i < pattern.size(); ++i) {
    if (pattern[i] == ']' && i > first) return i;
    if (!pattern.substr(i).starts_with("[:")) continue;
    const auto close = pattern.find(":]", i + 2);
    if (close != pattern.npos) i = close + 1;
  }
  return pattern.npos;
}

/// How many bytes of the set a class at its front has; 0: there is none.
std::size_t class_at(std::string_view set, char c, bool& found) {
  if (!set.starts_with("[:")) return 0;
  const auto close = set.find(":]", 2);
  if (close == set.npos) return 0;
  for (const auto& [name, has] : kClasses) {
    if (set.substr(2, close - 2) == name && has(static_cast<unsigned char>(c)) != 0) found = true;
  }
  return close + 2;
}

Token token_at(std::string_view pattern, std::size_t at) {
  using enum Token::Kind;
  const char c = pattern[at];
  if (c == '*') {
    if (pattern.substr(at).starts_with("**/")) return {stars, 3};
    if (pattern.substr(at).starts_with("**")) return {stars, 2};
    return {star, 1};
  }
  if (c == '?') return {any, 1};
  if (c == '\\' && at + 1 < pattern.size()) return {byte, 2};
  if (c != '[') return {byte, 1};
  const auto end = end_of_set(pattern, at);
  return end == pattern.npos ? Token{byte, 1} : Token{set, end - at + 1};
}

bool in_set(std::string_view set, char c) {
  const bool negated = set.starts_with('!') || set.starts_with('^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (const auto length = class_at(set.substr(i), c, found); length > 0) {
      i += length - 1;
      continue;
    }
    const bool range = i + 2 < set.size() && set[i + 1] == '-';
    found = found || (range ? set[i] <= c && c <= set[i + 2] : set[i] == c);
    if (range) i += 2;
  }
  return found != negated;
}

bool matches_one(std::string_view pattern, std::size_t at, const Token& token, char c) {
  using enum Token::Kind;
  switch (token.kind) {
    case byte: return pattern[at + token.length - 1] == c;
    case any: return c != '/';
    case set: return c != '/' && in_set(pattern.substr(at + 1, token.length - 2), c);
    case star: return c != '/';
    case stars: return true;
  }
  return false;
}

}  // namespace

/// All positions of the pattern that can be reached are followed at once: no backtracking.
bool glob_matches(std::string_view pattern, std::string_view path, bool below) {
  using enum Token::Kind;
  std::vector<char> now(pattern.size() + 1), next(pattern.size() + 1);
  const auto skip_stars = [&](std::vector<char>& reached, bool at_start) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (reached[i] == 0) continue;
      const auto token = token_at(pattern, i);
      // "**/" is also nothing, at the start of a part.
      if (token.kind == star || (token.kind == stars && (token.length == 2 || at_start))) {
        reached[i + token.length] = 1;
      }
    }
  };
  now[0] = 1;
  skip_stars(now, true);
  for (std::size_t k = 0; k < path.size(); ++k) {
    // A directory that matches has everything below it.
    if (below && path[k] == '/' && now[pattern.size()] != 0) return true;
    std::ranges::fill(next, 0);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (now[i] == 0) continue;
      const auto token = token_at(pattern, i);
      if (!matches_one(pattern, i, token, path[k])) continue;
      const bool stays = token.kind == star || token.kind == stars;
      next[stays ? i : i + token.length] = 1;
    }
    skip_stars(next, path[k] == '/');
    std::swap(now, next);
  }
  return now[pattern.size()] != 0;
}

Result<PathGlobs> PathGlobs::make(const std::vector<std::string>& patterns,
                                  std::string_view origin) {
  PathGlobs globs;
  for (std::string pattern : patterns) {
    const auto bad = [&](std::string_view why) {
      return fail(Code::usage, fmt::format("the pattern '{}' of {} {}", pattern, origin, why),
                  "use paths of the workspace, such as 'tests/**' or '*_test.py'");
    };
    const bool negated = pattern.starts_with('!');
    if (negated) pattern.erase(0, 1);
    if (pattern.starts_with("./")) pattern.erase(0, 2);
    if (pattern.size() > kLongestPattern) return bad("is too long");
    if (pattern.starts_with('/')) return bad("is absolute");
    if (("/" + pattern + "/").find("/../") != pattern.npos) return bad("leads out");
    while (pattern.ends_with('/')) pattern.pop_back();
    if (pattern.empty()) return bad("is empty");
    const bool anchored = pattern.find('/') != pattern.npos;
    globs.patterns_.push_back({anchored ? pattern : "**/" + pattern, negated});
  }
  return globs;
}

const PathGlobs::Pattern* PathGlobs::last_match(std::string_view path) const {
  const auto found =
      std::find_if(patterns_.rbegin(), patterns_.rend(),
                   [&](const Pattern& pattern) { return glob_matches(pattern.text, path, true); });
  return found == patterns_.rend() ? nullptr : &*found;
}

bool PathGlobs::empty() const { return std::ranges::all_of(patterns_, &Pattern::negated); }

bool PathGlobs::matches(std::string_view path) const {
  const auto* last = last_match(path);
  return last != nullptr && !last->negated;
}

bool PathGlobs::excludes(std::string_view path) const {
  const auto* last = last_match(path);
  return last != nullptr && last->negated;
}

}  // namespace ralph::git

#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::git {

/// Whether a pattern matches a path; see PathGlobs. `below`: one that matches a directory matches all below it.
bool glob_matches(std::string_view pattern, std::string_view path, bool below);

/// Patterns for paths of the workspace, as .gitignore reads them: "*" and "?" stop at "/", "**" does not, a pattern
/// without "/" (but at its end) matches at any depth, one that matches a directory matches all below it, and one that
/// begins with "!" takes back what those before it match.
class PathGlobs {
 public:
  PathGlobs() = default;
  /// Code::usage: a pattern is empty, absolute or leads out of the workspace. `origin` says where they are from.
  static Result<PathGlobs> make(const std::vector<std::string>& patterns,
                                std::string_view origin = "--protect");

  /// No pattern matches anything; there may be some that take back.
  bool empty() const;
  /// `path` is relative, without "." and "..".
  bool matches(std::string_view path) const;
  /// The last pattern that matches begins with "!".
  bool excludes(std::string_view path) const;

 private:
  struct Pattern {
    std::string text;  // anchored: "**/" in front where it was not
    bool negated = false;
  };
  const Pattern* last_match(std::string_view path) const;

  std::vector<Pattern> patterns_;
};

}  // namespace ralph::git

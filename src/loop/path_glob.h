#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ralph::loop {

/// Patterns for paths of the workspace, as .gitignore reads them: "*" and "?" stop at "/", "**" does not, a pattern
/// without "/" (but at its end) matches at any depth, and one that matches a folder matches all below it.
class PathGlobs {
 public:
  PathGlobs() = default;
  /// Code::usage: a pattern is empty, absolute or leads out of the workspace.
  static Result<PathGlobs> make(const std::vector<std::string>& patterns);

  bool empty() const { return patterns_.empty(); }
  /// `path` is relative, without "." and "..".
  bool matches(std::string_view path) const;

 private:
  std::vector<std::string> patterns_;  // anchored: "**/" in front where it was not
};

}  // namespace ralph::loop

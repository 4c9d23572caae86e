#include "tool/grep_hidden.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fnmatch.h>

#include "tool/permission_rule.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
using Parts = std::span<const std::string>;

std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const auto& part : path) {
    if (!part.empty() && part != "." && part != "/") parts.push_back(part.string());
  }
  return parts;
}

/// Which parts of a pattern may come next once the folder's parts are matched: true at 0 … pattern.size().
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
      } else if (::fnmatch(pattern[at].c_str(), name.c_str(), 0) == 0) {
        set(next, at + 1);
      }
    }
    if (now[pattern.size()]) next[pattern.size()] = true;  // below what is matched
    now = std::move(next);
  }
  return now;
}

/// A name is taken as it is, not as a pattern.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("*?[]{}\\!#").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> globs_below(std::vector<std::string> pattern, const fs::path& folder,
                                     Below below) {
  const auto repeats = [](const std::string& a, const std::string& b) {
    return a == "**" && b == "**";
  };
  pattern.erase(std::ranges::unique(pattern, repeats).begin(), pattern.end());
  const auto parts = parts_of(folder);
  const auto places = reached(pattern, parts);
  std::vector<std::string> globs;
  std::string rest;
  for (auto at = pattern.size(); at-- > 0;) {
    rest = "/" + pattern[at] + rest;
    if (places[at]) globs.push_back(rest);
  }
  if (places[pattern.size()] && below == Below::included) globs.emplace_back("/**");
  return globs;
}

std::vector<std::string> hiding_options(const fs::path& folder, const Workspace& workspace) {
  std::set<std::string> globs;
  for (const auto& pattern : workspace.setup().unreadable) {
    const auto anchored = anchored_pattern(pattern, workspace.setup().root);
    if (anchored.base.empty()) continue;
    auto parts = parts_of(anchored.base);
    for (auto& part : parts) part = escaped(part);
    parts.insert(parts.end(), anchored.parts.begin(), anchored.parts.end());
    for (auto& glob : globs_below(std::move(parts), folder, Below::included)) {
      globs.insert(std::move(glob));
    }
  }
  std::vector<std::string> options;
  for (const auto& glob : globs) options.push_back("--glob=!" + glob);
  return options;
}

}  // namespace ralph::tool

#include "tool/permission_rule.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fnmatch.h>

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const auto& part : path) {
    if (!part.empty() && part != "." && part != "/") parts.push_back(part.string());
  }
  return parts;
}

/// Whether the parts, or the first few of them, match: "**" is any number of parts.
bool matches_parts(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  std::vector<char> reached(path.size() + 1, 0);  // how much of the path the pattern so far matches
  reached[0] = 1;
  for (const auto& part : pattern) {
    std::vector<char> next(path.size() + 1, 0);
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (!reached[i]) continue;
      if (part == "**") {
        std::fill(next.begin() + static_cast<std::ptrdiff_t>(i), next.end(), char{1});
        break;
      }
      if (i < path.size() && ::fnmatch(part.c_str(), path[i].c_str(), 0) == 0) next[i + 1] = 1;
    }
    reached = std::move(next);
  }
  return std::ranges::find(reached, char{1}) != reached.end();
}

}  // namespace

Rule parse_rule(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {std::string(text), {}};
  return {std::string(text.substr(0, open)),
          std::string(text.substr(open + 1, text.size() - open - 2))};
}

bool names_tool(const Rule& rule, std::string_view tool) {
  if (rule.tool == tool) return true;
  if (rule.tool.find('*') != std::string::npos) return matches_text(rule.tool, tool);
  return rule.tool.starts_with("mcp__") && tool.starts_with(rule.tool + "__");
}

bool matches_text(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_command(std::string_view pattern, std::string_view command) {
  for (const std::string_view end : {" *", ":*"}) {
    if (!pattern.ends_with(end)) continue;
    const std::string start(pattern.substr(0, pattern.size() - end.size()));
    return matches_text(start, command) || matches_text(start + " *", command);
  }
  return matches_text(pattern, command);
}

AnchoredPattern anchored_pattern(std::string_view pattern, const fs::path& root) {
  fs::path base = root;
  bool anchored = false;
  if (pattern.starts_with("//")) {
    base = "/";
    anchored = true;
  } else if (pattern.starts_with("~/")) {
    const char* const home = std::getenv("HOME");
    if (!home) return {};
    base = home;
    pattern.remove_prefix(1);
    anchored = true;
  }
  anchored = anchored || pattern.starts_with('/') || pattern.starts_with("./");
  auto parts = parts_of(fs::path(pattern));
  if (parts.size() == 1 && !anchored) parts.insert(parts.begin(), "**");
  return {base.lexically_normal(), std::move(parts)};
}

bool matches_path(std::string_view pattern, const fs::path& resolved, const fs::path& root) {
  const auto wanted = anchored_pattern(pattern, root);
  if (wanted.base.empty()) return false;
  const auto relative = resolved.lexically_relative(wanted.base);
  if (relative.empty() || *relative.begin() == "..") return false;
  return wanted.parts.empty() || matches_parts(wanted.parts, parts_of(relative));
}

}  // namespace ralph::tool

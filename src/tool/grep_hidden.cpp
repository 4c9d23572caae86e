#include "tool/grep_hidden.h"

#include <set>
#include <span>
#include <string_view>

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

/// What is left of a pattern below a folder, whose parts its first ones must match.
void add_below(Parts pattern, Parts folder, std::set<std::string>& found) {
  if (pattern.empty()) {
    found.insert("/**");
    return;
  }
  if (folder.empty()) {
    std::string glob;
    for (const auto& part : pattern) glob += "/" + part;
    found.insert(std::move(glob));
    return;
  }
  if (pattern.front() == "**") {
    add_below(pattern.subspan(1), folder, found);
    add_below(pattern, folder.subspan(1), found);
  } else if (::fnmatch(pattern.front().c_str(), folder.front().c_str(), 0) == 0) {
    add_below(pattern.subspan(1), folder.subspan(1), found);
  }
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

std::vector<std::string> hiding_options(const fs::path& folder, const Workspace& workspace) {
  std::set<std::string> globs;
  const auto from_root = parts_of(folder);
  for (const auto& pattern : workspace.setup().unreadable) {
    const auto anchored = anchored_pattern(pattern, workspace.setup().root);
    if (anchored.base.empty()) continue;
    auto parts = parts_of(anchored.base);
    for (auto& part : parts) part = escaped(part);
    parts.insert(parts.end(), anchored.parts.begin(), anchored.parts.end());
    add_below(parts, from_root, globs);
  }
  std::vector<std::string> options;
  for (const auto& glob : globs) options.push_back("--glob=!" + glob);
  return options;
}

}  // namespace ralph::tool

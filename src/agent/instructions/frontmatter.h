#pragma once
#include <map>
#include <string>
#include <string_view>

namespace ralph::instructions {

/// A Markdown text and its frontmatter: "key: value" lines between two lines "---" at the beginning.
struct MarkdownText {
  std::map<std::string, std::string, std::less<>> fields;
  std::string body;  // without leading blank lines

  /// Empty: not set.
  std::string_view value(std::string_view key) const;
  bool is_true(std::string_view key) const;
};

/// Reads a subset of YAML: quoted values, and values on indented lines, which are joined to one line. Other lines are
/// ignored; without a closing "---" the whole text is the body.
MarkdownText parse_frontmatter(std::string_view text);

}  // namespace ralph::instructions

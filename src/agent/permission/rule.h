#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::permission {

/// A rule taken apart: "Bash(git *)" is the tool "Bash" and the pattern "git *".
struct Rule {
  std::string tool;
  std::string pattern;  // empty: every call of the tool

  bool covers_all() const { return pattern.empty() || pattern == "*" || pattern == ":*"; }
};
Rule parse_rule(std::string_view text);
/// "Tool" or "Tool(pattern)". Anything else, such as a bracket that is not closed, names no tool there is.
bool is_well_formed_rule(std::string_view text);

/// Whether the rule names the tool: by its name, by the server of an MCP tool, or with "*".
bool names_tool(const Rule& rule, std::string_view tool);

/// "*" stands for any text, everything else for itself.
bool matches_text(std::string_view pattern, std::string_view text);

/// The same of a command. "git *" and "git:*" also match "git" alone.
bool matches_command(std::string_view pattern, std::string_view command);

/// Whether it matches the text from the beginning of some word of it on, or from behind a "/": what stands behind a program
/// that starts another. Linear in the length of the text.
bool matches_command_within(std::string_view pattern, std::string_view text);

/// A pattern of paths taken apart: where it counts from, and its parts, "**" for any number of them.
struct AnchoredPattern {
  std::filesystem::path base;  // empty: it matches nothing
  std::vector<std::string> parts;
};
AnchoredPattern anchored_pattern(std::string_view pattern, const std::filesystem::path& root);

/// What a rule that denies or asks is about: the pattern as it is written, and with its start, up to the first wildcard,
/// resolved, so that a rule that names a link is also about what the link leads to.
std::vector<AnchoredPattern> restraining_patterns(std::string_view pattern,
                                                  const std::filesystem::path& root);

/// One name against "*", "?", "[…]" and "\\", by code points.
bool matches_name(std::string_view pattern, std::string_view name);

/// The path is absolute and without ".".
bool matches_path(const AnchoredPattern& pattern, std::string_view resolved);
/// Whether one of them matches.
bool matches_path(std::span<const AnchoredPattern> patterns, std::string_view resolved);

/// As .gitignore has it, with everything below a matching folder; "//x" counts from the root of the file system, "~/x"
/// from the home folder, everything else from `root`.
bool matches_path(std::string_view pattern, const std::filesystem::path& resolved,
                  const std::filesystem::path& root);

}  // namespace ralph::permission

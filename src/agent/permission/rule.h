#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::permission {

/// Which use of files a rule is about: Read rules apply to everything that reads files, Edit and Write rules to
/// everything that changes them. `none`: rules of other tools.
enum class FileUse { none, read, change };

/// A parsed rule: "Bash(git *)" has the tool "Bash" and the pattern "git *".
struct Rule {
  std::string tool;
  std::string pattern;  // empty: every call of the tool

  bool covers_all() const { return pattern.empty() || pattern == "*" || pattern == ":*"; }
  FileUse file_use() const;
};
/// The tool of a rule has its current name.
Rule parse_rule(std::string_view text);
/// Claude Code has renamed tools, and the old names are still in use: "Task" is "Agent", "KillShell" is "TaskStop".
std::string_view current_tool_name(std::string_view name);
/// "Tool" or "Tool(pattern)". Anything else, such as an unclosed parenthesis, matches no tool.
bool is_well_formed_rule(std::string_view text);

/// Whether the rule names the tool: by its name, by the server of an MCP tool, or with "*".
bool names_tool(const Rule& rule, std::string_view tool);

/// "*" matches any text, every other character itself.
bool matches_text(std::string_view pattern, std::string_view text);

/// The same for a command. "git *" and "git:*" also match "git" alone.
bool matches_command(std::string_view pattern, std::string_view command);

/// Whether the pattern matches the text from the start of any word, or from after a "/": the command that another program
/// starts. Linear in the length of the text.
bool matches_command_within(std::string_view pattern, std::string_view text);

/// The names of a path, without "/" and ".".
std::vector<std::string> path_parts(const std::filesystem::path& path);

/// A parsed path pattern: the directory it is relative to, and its parts; "**" matches any number of parts.
struct AnchoredPattern {
  std::filesystem::path base;  // empty: it matches nothing
  std::vector<std::string> parts;
};
AnchoredPattern anchored_pattern(std::string_view pattern, const std::filesystem::path& root);

/// The patterns of a deny or ask rule: as written, and with the part before the first wildcard resolved, so that a rule
/// that names a link also matches the link's target.
std::vector<AnchoredPattern> restricting_patterns(std::string_view pattern,
                                                  const std::filesystem::path& root);

/// Matches one name with "*", "?", "[…]" and "\\", by code points.
bool matches_name(std::string_view pattern, std::string_view name);

/// The path is absolute and without ".".
bool matches_path(const AnchoredPattern& pattern, std::string_view resolved);
/// Whether any of them matches.
bool matches_path(std::span<const AnchoredPattern> patterns, std::string_view resolved);

/// Like .gitignore: a pattern also matches everything below a matching directory. "//x" is relative to the root of the
/// file system, "~/x" to the home directory, everything else to `root`.
bool matches_path(std::string_view pattern, const std::filesystem::path& resolved,
                  const std::filesystem::path& root);

}  // namespace ralph::permission

#include "agent/permission/rule.h"

#include <algorithm>
#include <cstdlib>
#include <cwctype>
#include <system_error>
#include <vector>

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

constexpr char32_t kNoCodePoint = 0x110000;

/// A code point and its length in bytes. Invalid bytes get values above all code points.
struct Character {
  char32_t value = 0;
  std::size_t length = 1;
};

/// `text` must not be empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first < 0x80) return {first, 1};
  const Character odd{kNoCodePoint + first, 1};
  if (length == 1 || first > 0xF4 || text.size() < length) return odd;
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80) return odd;
    value = value << 6 | (byte(at) & 0x3FU);
  }
  return {value, length};
}

/// Whether the bracket expression at the start of a pattern matches; sets its length, 0: it is not closed.
bool is_in_brackets(std::string_view pattern, char32_t c, std::size_t& length) {
  std::size_t at = 1;
  const auto next = [&] {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const auto character = first_character(pattern.substr(at));
    at += character.length;
    return character.value;
  };
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const auto end = pattern.substr(at).starts_with("[:") ? pattern.find(":]", at) : pattern.npos;
    if (end != pattern.npos) {
      const std::string name(pattern.substr(at + 2, end - at - 2));
      found = found || std::iswctype(static_cast<wint_t>(c), std::wctype(name.c_str())) != 0;
      at = end + 2;
      continue;
    }
    const auto low = next();
    auto high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      ++at;
      high = next();
    }
    found = found || (low <= c && c <= high);
  }
  length = at < pattern.size() ? at + 1 : 0;
  return found != negated;
}

/// The length of the part of the pattern that matches the character; 0: no match.
std::size_t matches_character(std::string_view pattern, char32_t c) {
  if (pattern.empty()) return 0;
  if (pattern[0] == '?') return 1;
  if (pattern[0] == '[') {
    std::size_t length = 0;
    const bool found = is_in_brackets(pattern, c, length);
    if (length > 0) return found ? length : 0;
  }
  const std::size_t escape = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  const auto own = first_character(pattern.substr(escape));
  return own.value == c ? escape + own.length : 0;
}

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

/// "git *" and "git:*" also match "git" alone.
template <typename Match>
bool matches_either(std::string_view pattern, std::string_view text, Match match) {
  for (const std::string_view end : {" *", ":*"}) {
    if (!pattern.ends_with(end)) continue;
    const std::string start(pattern.substr(0, pattern.size() - end.size()));
    return match(start, text) || match(start + " *", text);
  }
  return match(pattern, text);
}

/// If the text after the first matching start does not match, that after a later one does not either.
bool matches_from_some_word(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == 0) return matches_text(pattern, text);
  const auto start = pattern.substr(0, star);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && is_of_name(text[at - 1])) continue;
    const auto rest = text.substr(at);
    if (!rest.starts_with(start)) continue;
    if (star != std::string_view::npos) return matches_text(pattern, rest);
    if (rest.size() == start.size()) return true;
  }
  return false;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto part = path.substr(0, path.find('/'));
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return parts;
}

/// Without "." and "..". A ".." at the start moves the base up; "**/.." is treated as "**".
AnchoredPattern normal(AnchoredPattern pattern) {
  std::vector<std::string> parts;
  for (auto& part : pattern.parts) {
    if (part != "..") {
      parts.push_back(std::move(part));
    } else if (parts.empty()) {
      pattern.base = pattern.base.parent_path();
    } else if (parts.back() != "**") {
      parts.pop_back();
    }
  }
  return {std::move(pattern.base), std::move(parts)};
}

bool has_wildcard(const std::string& part) {
  return part.find_first_of("*?[\\") != std::string::npos;
}

/// As written, with "..".
AnchoredPattern parse_pattern(std::string_view pattern, const fs::path& root) {
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
  auto parts = path_parts(fs::path(pattern));
  if (parts.size() == 1 && parts[0] != ".." && !anchored) parts.insert(parts.begin(), "**");
  base = base.lexically_normal();
  if (!base.has_filename() && base.has_relative_path()) base = base.parent_path();
  return {std::move(base), std::move(parts)};
}

/// Resolves the part before the first wildcard as the system does. A name that matches at any depth is resolved at the
/// base.
AnchoredPattern with_resolved_start(AnchoredPattern pattern) {
  auto& parts = pattern.parts;
  if (parts.size() == 2 && parts[0] == "**" && !has_wildcard(parts[1])) parts.erase(parts.begin());
  const auto wild = std::ranges::find_if(parts, has_wildcard);
  fs::path start = pattern.base;
  for (auto part = parts.begin(); part != wild; ++part) start /= *part;
  std::error_code error;
  auto resolved = fs::weakly_canonical(start, error);
  if (error) return {};
  return normal({std::move(resolved), {wild, parts.end()}});
}

/// Whether the pattern matches the path or a directory above it; "**" matches any number of parts.
bool matches_parts(const std::vector<std::string>& pattern,
                   const std::vector<std::string_view>& path) {
  std::vector<char> reached(path.size() + 1, 0);  // path lengths that the pattern so far matches
  reached[0] = 1;
  for (const auto& part : pattern) {
    std::vector<char> next(path.size() + 1, 0);
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (!reached[i]) continue;
      if (part == "**") {
        std::fill(next.begin() + static_cast<std::ptrdiff_t>(i), next.end(), char{1});
        break;
      }
      if (i < path.size() && matches_name(part, path[i])) next[i + 1] = 1;
    }
    reached = std::move(next);
  }
  return std::ranges::find(reached, char{1}) != reached.end();
}

}  // namespace

std::vector<std::string> path_parts(const fs::path& path) {
  std::vector<std::string> parts;
  for (const auto& part : path) {
    if (!part.empty() && part != "." && part != "/") parts.push_back(part.string());
  }
  return parts;
}

FileUse Rule::file_use() const {
  if (tool == "Read") return FileUse::read;
  return tool == "Edit" || tool == "Write" ? FileUse::change : FileUse::none;
}

std::string_view current_tool_name(std::string_view name) {
  if (name == "Task") return "Agent";
  return name == "KillShell" ? "TaskStop" : name;
}

Rule parse_rule(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) {
    return {std::string(current_tool_name(text)), {}};
  }
  return {std::string(current_tool_name(text.substr(0, open))),
          std::string(text.substr(open + 1, text.size() - open - 2))};
}

bool is_well_formed_rule(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) return text.find(')') == std::string_view::npos;
  return open > 0 && text.ends_with(')');
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
  return matches_either(pattern, command, matches_text);
}

bool matches_command_within(std::string_view pattern, std::string_view text) {
  return matches_either(pattern, text, matches_from_some_word);
}

/// At most quadratic: the product of both lengths.
bool matches_name(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (n < name.size()) {
    const auto c = first_character(name.substr(n));
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (const auto length = matches_character(pattern.substr(p), c.value); length > 0) {
      p += length;
      n += c.length;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      retry += first_character(name.substr(retry)).length;
      n = retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

AnchoredPattern anchored_pattern(std::string_view pattern, const fs::path& root) {
  return normal(parse_pattern(pattern, root));
}

std::vector<AnchoredPattern> restricting_patterns(std::string_view pattern, const fs::path& root) {
  auto written = parse_pattern(pattern, root);
  if (written.base.empty()) return {};
  std::vector<AnchoredPattern> patterns{normal(written)};
  auto resolved = with_resolved_start(std::move(written));
  if (!resolved.base.empty()) patterns.push_back(std::move(resolved));
  return patterns;
}

bool matches_path(std::span<const AnchoredPattern> patterns, std::string_view resolved) {
  return std::ranges::any_of(
      patterns, [&](const AnchoredPattern& pattern) { return matches_path(pattern, resolved); });
}

bool matches_path(const AnchoredPattern& pattern, std::string_view resolved) {
  if (pattern.base.empty()) return false;
  std::string_view base = pattern.base.native();
  while (base.ends_with('/')) base.remove_suffix(1);
  if (!resolved.starts_with(base)) return false;
  resolved.remove_prefix(base.size());
  if (!resolved.empty() && resolved.front() != '/') return false;
  return pattern.parts.empty() || matches_parts(pattern.parts, parts_of(resolved));
}

bool matches_path(std::string_view pattern, const fs::path& resolved, const fs::path& root) {
  return matches_path(anchored_pattern(pattern, root), resolved.native());
}

}  // namespace ralph::permission

#include "system/git/fields.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/core.h>

namespace ralph::git {
namespace {

struct Lines {
  std::int64_t added = 0, removed = 0;
};

std::unexpected<Error> not_understood(std::string_view what) {
  return fail(Code::malformed, fmt::format("git printed {} that cannot be read", what),
              "check that 'git' in PATH is git 2.31 or newer");
}

/// "12", or "-" for what is not text.
std::optional<std::int64_t> count(std::string_view text) {
  if (text == "-") return -1;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "added TAB removed TAB path".
bool take_lines(std::string_view field, std::map<std::string_view, Lines>& lines) {
  const auto first = field.find('\t');
  const auto second = first == field.npos ? first : field.find('\t', first + 1);
  if (second == field.npos) return false;
  const auto added = count(field.substr(0, first));
  const auto removed = count(field.substr(first + 1, second - first - 1));
  if (!added || !removed) return false;
  lines[field.substr(second + 1)] = {*added, *removed};
  return true;
}

}  // namespace

std::string_view Fields::next() {
  const auto end = std::min(rest_.find('\0'), rest_.size());
  const auto field = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return field;
}

bool Entry::unmerged() const {
  return staged == 'U' || unstaged == 'U' || (staged == 'A' && unstaged == 'A') ||
         (staged == 'D' && unstaged == 'D');
}

bool Entry::ours() const {
  constexpr std::string_view kName = "/.ralph/";
  return ("/" + path + "/").find(kName) != std::string::npos;
}

Result<std::vector<Entry>> parse_status(std::string_view text) {
  std::vector<Entry> entries;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    if (field.size() < 4 || field[2] != ' ') return not_understood("a status");
    if (field.starts_with("??") && field.ends_with('/')) continue;
    entries.push_back({field[0], field[1], std::string(field.substr(3))});
  }
  return entries;
}

Result<std::vector<FileChange>> parse_changes(std::string_view text) {
  std::vector<FileChange> changes;
  std::map<std::string_view, Lines> lines;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    if (field.starts_with(':')) {
      changes.push_back({field.back(), std::string(fields.next())});
    } else if (!take_lines(field, lines)) {
      return not_understood("a difference");
    }
  }
  for (auto& change : changes) {
    const auto found = lines.find(change.path);
    if (found == lines.end()) continue;
    change.added = found->second.added;
    change.removed = found->second.removed;
  }
  return changes;
}

}  // namespace ralph::git

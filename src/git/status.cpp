#include "git/status.h"

namespace ralph::git {
namespace {

/// The rest of a line that begins with `key`; empty otherwise.
std::string_view value_of(std::string_view line, std::string_view key) {
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view();
}

}  // namespace

State parse_status(std::string_view text) {
  State state;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const auto head = value_of(line, "# branch.oid "); !head.empty()) {
      state.head = head == "(initial)" ? std::string_view() : head;
    } else if (const auto branch = value_of(line, "# branch.head "); !branch.empty()) {
      state.branch = branch == "(detached)" ? std::string_view() : branch;
    } else if (!line.empty() && !line.starts_with('#')) {
      state.dirty = true;
    }
  }
  return state;
}

}  // namespace ralph::git

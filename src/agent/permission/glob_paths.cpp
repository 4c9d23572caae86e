#include "agent/permission/glob_paths.h"

#include <string>
#include <system_error>

#include "agent/permission/rule.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

/// Replaces everything from the first "?" or "[" by "*": what they match depends on the locale of the shell.
std::string widened(const std::string& part) {
  const auto special = part.find_first_of("?[");
  return special == std::string::npos ? part : part.substr(0, special) + "*";
}

/// Adds the matching entries of a directory. False: too many entries.
bool add_matching(const fs::path& folder, const std::string& part, std::size_t& entries_left,
                  Paths& found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entries_left == 0) return false;
    --entries_left;
    const auto name = entry->path().filename().string();
    const bool hidden = name.starts_with('.') && !part.starts_with('.');
    if (!hidden && matches_text(part, name)) found.push_back(entry->path());
  }
  return true;
}

}  // namespace

std::optional<Paths> matching_paths(std::string_view pattern, const fs::path& folder,
                                    std::size_t& entries_left) {
  const fs::path parts(pattern);
  Paths found{parts.is_absolute() ? fs::path("/") : folder};
  for (const auto& raw : parts.relative_path()) {
    const auto part = widened(raw.string());
    Paths next;
    const bool wild = part.find('*') != std::string::npos;
    if (wild && part.starts_with('.') && matches_text(part, "..")) return std::nullopt;
    if (found.size() >= entries_left) return std::nullopt;
    entries_left -= found.size();
    for (const auto& start : found) {
      if (!wild) {
        next.push_back(start / part);
      } else if (!add_matching(start, part, entries_left, next)) {
        return std::nullopt;
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace ralph::permission

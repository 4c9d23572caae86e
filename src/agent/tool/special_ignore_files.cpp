#include "agent/tool/ignore_files.h"

#include <deque>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

#include "agent/tool/safe_file.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 20'000;
constexpr std::size_t kMostBytes = 8192;  // of a file that names another

/// Through links, as it is opened.
bool is_odd(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// The first line of a file behind a prefix; empty: there is none.
std::string named_in(const fs::path& path, std::string_view prefix) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error) return {};
  const auto text = read_regular_file(real, kMostBytes);
  if (!text || !text->starts_with(prefix)) return {};
  const auto line = text->substr(prefix.size());
  return line.substr(0, line.find_first_of("\r\n"));
}

bool has_odd_exclude(const fs::path& repository) {
  std::error_code error;
  if (!fs::is_regular_file(repository, error)) return is_odd(repository / "info/exclude");
  const auto folder = repository.parent_path() / named_in(repository, "gitdir: ");
  const auto pointer = folder / "commondir";
  if (is_odd(pointer) || is_odd(folder / "info/exclude")) return true;
  const auto common = named_in(pointer, "");
  return !common.empty() && is_odd(folder / common / "info/exclude");
}

bool is_odd_entry(const fs::path& path) {
  const auto name = path.filename();
  return name == ".gitignore" ? is_odd(path) : name == ".git" && has_odd_exclude(path);
}

/// Breadth first: what is near the top is found in any tree.
bool has_odd_below(const fs::path& top) {
  std::deque<fs::path> waiting{top};
  std::size_t looked_at = 0;
  while (!waiting.empty()) {
    const auto folder = std::move(waiting.front());
    waiting.pop_front();
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (++looked_at > kMostEntries) return false;
      if (is_odd_entry(entry->path())) return true;
      std::error_code ignored;
      const bool below = !entry->is_symlink(ignored) && entry->is_directory(ignored);
      if (below && entry->path().filename() != ".git") waiting.push_back(entry->path());
    }
  }
  return false;
}

}  // namespace

bool has_odd_ignore_files(const fs::path& folder) {
  for (auto above = folder; above != above.root_path(); above = above.parent_path()) {
    const auto parent = above.parent_path();
    if (is_odd(parent / ".gitignore") || has_odd_exclude(parent / ".git")) return true;
  }
  return has_odd_below(folder);
}

}  // namespace ralph::tool

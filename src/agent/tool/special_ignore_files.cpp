#include "agent/tool/special_ignore_files.h"

#include <deque>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

#include "agent/tool/safe_file.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntriesSearched = 20'000;
constexpr std::size_t kMostPointerBytes = 8192;  // of a file that names another one

/// Follows links, as opening does.
bool is_special(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// The first line of a file after a prefix; empty: none.
std::string named_in(const fs::path& path, std::string_view prefix) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error) return {};
  const auto text = read_regular_file(real, kMostPointerBytes);
  if (!text || !text->starts_with(prefix)) return {};
  const auto line = text->substr(prefix.size());
  return line.substr(0, line.find_first_of("\r\n"));
}

bool has_special_exclude(const fs::path& repository) {
  std::error_code error;
  if (!fs::is_regular_file(repository, error)) return is_special(repository / "info/exclude");
  const auto folder = repository.parent_path() / named_in(repository, "gitdir: ");
  const auto pointer = folder / "commondir";
  if (is_special(pointer) || is_special(folder / "info/exclude")) return true;
  const auto common = named_in(pointer, "");
  return !common.empty() && is_special(folder / common / "info/exclude");
}

bool is_special_entry(const fs::path& path) {
  const auto name = path.filename();
  return name == ".gitignore" ? is_special(path) : name == ".git" && has_special_exclude(path);
}

/// Breadth first, so that entries near the top are found in large trees too.
bool has_special_below(const fs::path& top) {
  std::deque<fs::path> waiting{top};
  std::size_t seen = 0;
  while (!waiting.empty()) {
    const auto folder = std::move(waiting.front());
    waiting.pop_front();
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (++seen > kMostEntriesSearched) return false;
      if (is_special_entry(entry->path())) return true;
      std::error_code ignored;
      const bool below = !entry->is_symlink(ignored) && entry->is_directory(ignored);
      if (below && entry->path().filename() != ".git") waiting.push_back(entry->path());
    }
  }
  return false;
}

}  // namespace

bool has_special_ignore_files(const fs::path& folder) {
  for (auto above = folder; above != above.root_path(); above = above.parent_path()) {
    const auto parent = above.parent_path();
    if (is_special(parent / ".gitignore") || has_special_exclude(parent / ".git")) return true;
  }
  return has_special_below(folder);
}

}  // namespace ralph::tool

#include "core/base/path.h"

#include <algorithm>
#include <iterator>

#include <sys/stat.h>

namespace ralph {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLinks = 40;  // as many as the kernel follows

/// The parts of a path, the last one first.
void push_parts(std::vector<fs::path>& parts, const fs::path& path) {
  const auto begin = parts.size();
  for (const auto& part : path.relative_path()) parts.push_back(part);
  std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.end());
}

}  // namespace

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  // A name that ends in "/" has an empty last part.
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  auto real = fs::weakly_canonical(path.empty() ? "." : fs::absolute(path, error), error);
  return error ? path : real;
}

fs::path state_folder(const fs::path& xdg_state_home, const fs::path& home) {
  if (xdg_state_home.is_absolute()) return xdg_state_home / "ralph";
  return home.is_absolute() ? home / ".local/state/ralph" : fs::path();
}

bool path_exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

bool is_real_directory(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, error));
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

ResolvedPath resolve_links(const fs::path& path) {
  ResolvedPath trail;
  std::vector<fs::path> parts;
  push_parts(parts, path);
  fs::path at = "/";
  struct stat info{};
  while (!parts.empty()) {
    const auto part = parts.back();
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    auto next = at / part;
    if (::lstat(next.c_str(), &info) != 0) return trail;
    if (!S_ISLNK(info.st_mode)) {
      at = std::move(next);
      continue;
    }
    std::error_code error;
    const auto target = fs::read_symlink(next, error);
    if (error || trail.links.size() >= kMostLinks) return trail;
    trail.links.push_back(std::move(next));
    if (target.is_absolute()) at = "/";
    push_parts(parts, target);
  }
  if (::lstat(at.c_str(), &info) == 0 && S_ISREG(info.st_mode)) trail.file = std::move(at);
  return trail;
}

}  // namespace ralph

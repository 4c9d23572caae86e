#include "bench/grade/rewrite_check.h"

#include <set>
#include <sstream>
#include <string_view>

#include "core/base/path.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;

/// bubblewrap's time grows with the square: 256 files take 0.2 seconds, 1000 take 3.
constexpr std::size_t kMostMounts = 256;
constexpr std::size_t kBytesOfPathsPerCall = std::size_t{64} << 10;

std::string_view id_of(std::string_view entry) { return entry.substr(entry.rfind(' ') + 1); }

/// Whether a path of the clone still has the kind of its entry, with directories above it that are no links.
bool has_kind(const fs::path& root, const fs::path& path, bool link) {
  std::error_code error;
  for (auto at = path.parent_path(); !at.empty(); at = at.parent_path()) {
    if (fs::symlink_status(root / at, error).type() != fs::file_type::directory) return false;
  }
  const auto type = fs::symlink_status(root / path, error).type();
  return type == (link ? fs::file_type::symlink : fs::file_type::regular);
}

}  // namespace

Result<RewriteCheck> RewriteCheck::begin(const git::Program& git, fs::path root, Entries files) {
  std::vector<std::string> paths;
  for (const auto& [path, entry] : files) paths.push_back(path);
  TRY_ASSIGN(auto watch, run::FileWatch::on(root, paths));
  return RewriteCheck(git, std::move(root), std::move(files), std::move(watch));
}

std::vector<fs::path> RewriteCheck::mountable() const {
  std::vector<fs::path> paths;
  for (const auto& [path, entry] : files_) {
    if (paths.size() == kMostMounts) break;
    if (!is_link(entry)) paths.push_back(root_ / path);
  }
  return paths;
}

/// Of these regular files, in one call of git.
Result<std::vector<std::string>> RewriteCheck::with_other_blobs(
    const std::vector<std::string>& paths) const {
  std::vector<std::string> words{"hash-object", "--no-filters", "--"};
  for (const auto& path : paths) words.push_back((root_ / path).native());
  TRY_ASSIGN(const auto text, git_.ask({.words = std::move(words)}));
  std::istringstream ids(text);
  std::vector<std::string> found;
  for (const auto& path : paths) {
    std::string id;
    if (!std::getline(ids, id) || id != id_of(files_.at(path))) found.push_back(path);
  }
  return found;
}

Result<std::vector<std::string>> RewriteCheck::rewritten() {
  std::set<std::string> found;
  for (const fs::path path : watch_.changed()) {
    const bool inside = is_below(path, root_) && path != root_;
    found.insert(inside ? path.lexically_relative(root_).native() : path.native());
  }
  std::vector<std::string> batch;
  std::size_t bytes = 0;
  const auto compare = [&]() -> Result<> {
    if (batch.empty()) return {};
    TRY_ASSIGN(const auto other, with_other_blobs(batch));
    found.insert(other.begin(), other.end());
    batch.clear();
    bytes = 0;
    return {};
  };
  for (const auto& [path, entry] : files_) {
    if (!has_kind(root_, path, is_link(entry))) {
      found.insert(path);
    } else if (!is_link(
                   entry)) {  // a link cannot be rewritten, only replaced, which the watch sees
      batch.push_back(path);
      bytes += path.size() + root_.native().size();
      if (bytes > kBytesOfPathsPerCall) TRY(compare());
    }
  }
  TRY(compare());
  return std::vector<std::string>(found.begin(), found.end());
}

}  // namespace ralph::grade

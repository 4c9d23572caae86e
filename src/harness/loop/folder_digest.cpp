#include "harness/loop/folder_digest.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>

#include "core/base/own_output.h"
#include "core/base/sha256.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDigestedFiles = 200'000;

bool is_left_out(const fs::path& name) { return name == ".git" || name == ".ralph"; }

std::string line_of(const fs::path& folder, const fs::path& path,
                    const std::set<std::string>& left_out) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  const auto name = path.lexically_relative(folder).native();
  if (S_ISDIR(info.st_mode)) return fmt::format("{}/\n", name);
  if (left_out.contains(name)) return {};
  return fmt::format("{} {} {:o} {}.{:09}\n", name, info.st_size, info.st_mode, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

}  // namespace

Result<std::string> folder_digest(const fs::path& folder, const fs::path& state_folder) {
  const auto own = names_below(folder, own_outputs());
  std::vector<std::string> lines;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    const bool ours = at.depth() == 0 && is_left_out(at->path().filename());
    if (ours || (!state_folder.empty() && at->path() == state_folder)) {
      at.disable_recursion_pending();
      continue;
    }
    if (lines.size() >= kMostDigestedFiles) {
      return fail(Code::limit,
                  fmt::format("'{}' has more than {} files", folder.native(), kMostDigestedFiles),
                  "make it a git repository: changes are found faster there");
    }
    lines.push_back(line_of(folder, at->path(), own));
  }
  if (error) {
    return fail(Code::storage,
                fmt::format("cannot list '{}': {}", folder.native(), error.message()));
  }
  std::ranges::sort(lines);
  std::string all;
  for (const auto& line : lines) all += line;
  return sha256_hex(all);
}

}  // namespace ralph::loop

#include "git/old_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

/// A path that HEAD has is no untracked one, whatever was done to the index.
std::set<std::string> paths_of_head(const std::vector<Entry>& entries) {
  std::set<std::string> paths;
  for (const auto& entry : entries) {
    if (entry.staged == 'D') paths.insert(entry.path);
  }
  return paths;
}

std::optional<struct statx> look_at(const fs::path& path) {
  struct statx info{};
  const int done = ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                           STATX_INO | STATX_BTIME | STATX_CTIME, &info);
  if (done != 0) return std::nullopt;
  return info;
}

/// Of tracked files that are gone from their place; git keeps 32 bits of each.
Result<std::set<std::uint32_t>> missing_inodes(const Program& git) {
  constexpr std::string_view kLine = "\n  dev: ", kKey = "\tino: ";
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "--deleted", "--debug"}}));
  std::set<std::uint32_t> inodes;
  for (auto at = text.find(kLine); at != text.npos; at = text.find(kLine, at + 1)) {
    const auto key = text.find(kKey, at);
    if (key == text.npos) break;
    std::uint32_t inode = 0;
    const auto* begin = text.data() + key + kKey.size();
    std::from_chars(begin, text.data() + text.size(), inode);
    if (inode != 0) inodes.insert(inode);
  }
  return inodes;
}

bool is_moved(const fs::path& path, const std::set<std::uint32_t>& missing) {
  const auto info = look_at(path);
  return info && missing.contains(static_cast<std::uint32_t>(info->stx_ino));
}

}  // namespace

bool born_before(const fs::path& path, UtcTime time) {
  const auto info = look_at(path);
  if (!info) return false;
  const auto& born = (info->stx_mask & STATX_BTIME) != 0 ? info->stx_btime : info->stx_ctime;
  const auto part = std::chrono::floor<Millis>(std::chrono::nanoseconds(born.tv_nsec));
  return std::chrono::seconds(born.tv_sec) + part < time.time_since_epoch();
}

Result<> leave_out_old(const Program& git, UtcTime time, std::vector<Entry>& entries) {
  const auto known = paths_of_head(entries);
  const auto is_old = [&](const Entry& entry) {
    return entry.staged == '?' && !entry.ours() && !known.contains(entry.path) &&
           born_before(git.root() / entry.path, time);
  };
  if (std::ranges::none_of(entries, is_old)) return {};
  TRY_ASSIGN(const auto missing, missing_inodes(git));
  std::erase_if(entries, [&](const Entry& entry) {
    return is_old(entry) && !is_moved(git.root() / entry.path, missing);
  });
  return {};
}

Result<> forget_old(const Program& git, UtcTime time, const std::string& commit) {
  TRY_ASSIGN(const auto added, git.ask({{"diff-index", "--cached", "-M", "--diff-filter=A",
                                         "--name-only", "-z", commit, "--"}}));
  std::string old;
  for (Fields fields(added); !fields.done();) {
    const std::string path(fields.next());
    if (born_before(git.root() / path, time)) old += path + '\0';
  }
  if (old.empty()) return {};
  TRY(git.ask({{"update-index", "-z", "--force-remove", "--stdin"}, old}));
  return {};
}

}  // namespace ralph::git

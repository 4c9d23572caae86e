#include "system/git/old_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/unique_fd.h"
#include "system/git/index.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr Millis kLongestTick{2500};
constexpr Millis kPoll{1};

/// A path that HEAD has is no untracked one, whatever was done to the index.
std::set<std::string> paths_of_head(const std::vector<Entry>& entries) {
  std::set<std::string> paths;
  for (const auto& entry : entries) {
    if (entry.staged == 'D') paths.insert(entry.path);
  }
  return paths;
}

UtcTime birth_of(const struct statx& info) {
  const auto& born = (info.stx_mask & STATX_BTIME) != 0 ? info.stx_btime : info.stx_ctime;
  const auto part = std::chrono::floor<Millis>(std::chrono::nanoseconds(born.tv_nsec));
  return UtcTime(std::chrono::seconds(born.tv_sec) + part);
}

/// Of a file without a name where the file system can make one, else of one that is removed at once.
Result<UtcTime> time_of_new_file(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd) {
    auto name = (folder / ".ralph-time-XXXXXX").native();
    fd.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (fd) ::unlink(name.c_str());
  }
  struct statx info{};
  if (fd && ::statx(fd.get(), "", AT_EMPTY_PATH, STATX_BTIME | STATX_CTIME, &info) == 0) {
    return birth_of(info);
  }
  return fail_errno(errno, fmt::format("cannot make a file in '{}'", folder.native()),
                    "free disk space, and check the owner");
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

bool was_tracked(const fs::path& path, const LeftAlone& left) {
  const auto info = look_at(path);
  return info && left.tracked.contains(info->stx_ino);
}

bool is_moved(const fs::path& path, const std::set<std::uint32_t>& missing) {
  const auto info = look_at(path);
  return info && missing.contains(static_cast<std::uint32_t>(info->stx_ino));
}

Result<std::vector<std::string>> added_to(const Program& git, const std::string& tree,
                                          const char* renames, const fs::path& index) {
  TRY_ASSIGN(const auto text, git.ask({{"diff-index", "--cached", renames, "--diff-filter=A",
                                        "--name-only", "-z", tree, "--"},
                                       {},
                                       index}));
  std::vector<std::string> added;
  for (Fields fields(text); !fields.done();) added.emplace_back(fields.next());
  return added;
}

}  // namespace

bool born_before(const fs::path& path, UtcTime time) {
  const auto info = look_at(path);
  return info && birth_of(*info) < time;
}

namespace {

Result<> leave_out_old(const Program& git, const LeftAlone& left, std::vector<Entry>& entries) {
  const auto known = paths_of_head(entries);
  const auto is_old = [&](const Entry& entry) {
    return entry.staged == '?' && !entry.ours() && !known.contains(entry.path) &&
           born_before(git.root() / entry.path, *left.before) &&
           !was_tracked(git.root() / entry.path, left);
  };
  if (std::ranges::none_of(entries, is_old)) return {};
  TRY_ASSIGN(const auto missing, missing_inodes(git));
  std::erase_if(entries, [&](const Entry& entry) {
    return is_old(entry) && !is_moved(git.root() / entry.path, missing);
  });
  return {};
}

}  // namespace

Result<> leave_out(const Program& git, const LeftAlone& left, std::vector<Entry>& entries) {
  const auto names = left.names(git.root());
  std::erase_if(entries, [&](const Entry& entry) {
    return names.contains(entry.path) || left.is_own(entry.path);
  });
  return left.before ? leave_out_old(git, left, entries) : Result<>();
}

Result<> forget_old(const Program& git, const LeftAlone& left, const std::string& tree,
                    const fs::path& index) {
  if (!left.before) return {};
  TRY_ASSIGN(auto added, added_to(git, tree, "-M", index));
  std::erase_if(added, [&](const std::string& path) {
    const auto file = git.root() / path;
    return !born_before(file, *left.before) || left.moved.contains(path) || was_tracked(file, left);
  });
  return remove_paths(git, added, index);
}

std::set<std::uint64_t> inodes_of(const Program& git, const std::vector<std::string>& paths) {
  std::set<std::uint64_t> inodes;
  for (const auto& path : paths) {
    if (const auto info = look_at(git.root() / path)) inodes.insert(info->stx_ino);
  }
  return inodes;
}

Result<std::vector<std::string>> moved_files(const Program& git, const LeftAlone& left,
                                             const std::string& tree) {
  if (!left.before || left.tracked.empty()) return std::vector<std::string>();
  TRY_ASSIGN(auto added, added_to(git, tree, "--no-renames", {}));
  std::erase_if(added, [&](const std::string& path) {
    const auto file = git.root() / path;
    return !born_before(file, *left.before) || !was_tracked(file, left);
  });
  return added;
}

Result<UtcTime> file_time_now(const fs::path& folder) {
  TRY_ASSIGN(const auto first, time_of_new_file(folder));
  const auto deadline = std::chrono::steady_clock::now() + kLongestTick;
  for (;;) {
    TRY_ASSIGN(const auto now, time_of_new_file(folder));
    if (now != first || std::chrono::steady_clock::now() > deadline) return now;
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace ralph::git

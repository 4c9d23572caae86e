#include "git/index.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "ralph-index-";

/// Its maker has had the time to lock it: an index was written to it.
bool is_aged(int fd) { return ::faccessat(fd, "index", F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

/// Git takes a file for unchanged by its time only when that is before the index's own: a copy with a later time
/// would hide changes made in the same moment.
Result<> copy_with_time(const fs::path& from, const fs::path& to) {
  struct stat info{};
  if (::stat(from.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};  // nothing was added yet
    return fail_errno(errno, fmt::format("cannot look at '{}'", from.native()));
  }
  std::error_code error;
  fs::copy_file(from, to, error);
  const timespec times[] = {info.st_mtim, info.st_mtim};
  if (!error && ::utimensat(AT_FDCWD, to.c_str(), times, 0) == 0) return {};
  return fail(Code::storage,
              fmt::format("cannot copy '{}' to '{}': {}", from.native(), to.native(),
                          error ? error.message() : "its time cannot be set"),
              "free some space there");
}

/// What a killed ralph left behind: its lock is not held.
void remove_abandoned(const fs::path& git_folder) {
  std::error_code error;
  for (fs::directory_iterator at(git_folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().native().starts_with(kPrefix)) continue;
    const UniqueFd fd(::open(at->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    std::error_code ignored;
    if (fd && is_aged(fd.get()) && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      fs::remove_all(at->path(), ignored);
    }
  }
}

}  // namespace

Result<PrivateIndex> PrivateIndex::empty(const fs::path& git_folder) {
  remove_abandoned(git_folder);
  auto name = (git_folder / fmt::format("{}XXXXXX", kPrefix)).native();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot make the folder '{}'", name),
                      "make room there, and check who owns it");
  }
  UniqueFd lock(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock) ::flock(lock.get(), LOCK_EX | LOCK_NB);
  return PrivateIndex(fs::path(name), std::move(lock));
}

Result<PrivateIndex> PrivateIndex::copy(const fs::path& git_folder) {
  TRY_ASSIGN(auto index, empty(git_folder));
  TRY(copy_with_time(git_folder / "index", index.path()));
  return index;
}

PrivateIndex::~PrivateIndex() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<std::vector<Entry>> list_entries(const Program& git, const fs::path& index) {
  TRY_ASSIGN(const auto text,
             git.ask({{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames",
                       "--no-ahead-behind", "--ignore-submodules=dirty"},
                      {},
                      index}));
  return parse_status(text);
}

Result<> take_in(const Program& git, const std::vector<Entry>& entries, const fs::path& index) {
  std::string removed, present;
  for (const auto& entry : entries) {
    if (!entry.to_take() || entry.ours()) continue;
    auto& list = entry.removed() ? removed : present;
    list += entry.path;
    list += '\0';
  }
  // In this order: whoever is ended in between still finds what was moved by its old name.
  if (!present.empty()) {
    TRY(git.ask(
        {{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}, present, index}));
  }
  if (!removed.empty()) {
    TRY(git.ask({{"update-index", "-z", "--force-remove", "--stdin"}, removed, index}));
  }
  return {};
}

std::string zero_separated(const std::vector<std::string>& paths) {
  std::string text;
  for (const auto& path : paths) {
    text += path;
    text += '\0';
  }
  return text;
}

Result<std::string> write_tree(const Program& git, const fs::path& index) {
  return git.ask_line({{"write-tree"}, {}, index});
}

Result<> remove_paths(const Program& git, const std::vector<std::string>& paths,
                      const fs::path& index) {
  if (paths.empty()) return {};
  TRY(git.ask({{"update-index", "-z", "--force-remove", "--stdin"}, zero_separated(paths), index}));
  return {};
}

Result<std::string> tree_without(const Program& git, const std::string& tree,
                                 const std::vector<std::string>& paths) {
  if (paths.empty()) return tree;
  TRY_ASSIGN(const auto index, PrivateIndex::empty(git.git_folder()));
  TRY(git.ask({{"read-tree", tree}, {}, index.path()}));
  TRY(remove_paths(git, paths, index.path()));
  return write_tree(git, index.path());
}

Result<std::string> tree_with(const Program& git, const std::string& tree,
                              const std::vector<std::string>& paths) {
  if (paths.empty()) return tree;
  TRY_ASSIGN(const auto index, PrivateIndex::empty(git.git_folder()));
  TRY(git.ask({{"read-tree", tree}, {}, index.path()}));
  TRY(git.ask({{"update-index", "-z", "--add", "--replace", "--stdin"},
               zero_separated(paths),
               index.path()}));
  return write_tree(git, index.path());
}

}  // namespace ralph::git

#include "git/index.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <set>

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

/// What `ls-files --stage --debug -z` prints of an index.
struct Listed {
  std::string lines;  // as `update-index --index-info -z` reads them
  std::vector<std::string> assumed, skipped, intended;
};

/// "MODE ID STAGE TAB PATH", NUL, then lines of stat data, the last of which ends with the flags.
Result<Listed> parse_listed(std::string_view text) {
  constexpr std::string_view kFlags = "flags: ";
  constexpr unsigned kAssumed = 0x8000, kSkipped = 1U << 30, kIntended = 1U << 29;
  Listed listed;
  while (!text.empty()) {
    const auto end = text.find('\0');
    const auto tab = text.find('\t');
    const auto at = end == text.npos ? end : text.find(kFlags, end);
    const auto line_end = at == text.npos ? at : text.find('\n', at);
    if (line_end == text.npos || tab > end) {
      return fail(Code::malformed, "git printed an index that cannot be read",
                  "is 'git' in PATH the real one, and 2.31 or newer?");
    }
    unsigned flags = 0;
    std::from_chars(text.data() + at + kFlags.size(), text.data() + line_end, flags, 16);
    const std::string path(text.substr(tab + 1, end - tab - 1));
    if ((flags & kAssumed) != 0) listed.assumed.push_back(path);
    if ((flags & kSkipped) != 0) listed.skipped.push_back(path);
    if ((flags & kIntended) != 0) {
      listed.intended.push_back(path);
    } else {
      listed.lines += text.substr(0, end + 1);
    }
    text.remove_prefix(line_end + 1);
  }
  return listed;
}

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

}  // namespace

Result<PrivateIndex> PrivateIndex::rebuild(const Program& git) {
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "--stage", "--debug", "-z"}}));
  TRY_ASSIGN(auto listed, parse_listed(text));
  TRY_ASSIGN(auto index, empty(git.git_folder()));
  const auto change = [&](std::vector<std::string> words, const std::string& input) -> Result<> {
    if (input.empty()) return {};
    TRY(git.ask({std::move(words), input, index.path()}));
    return {};
  };
  TRY(change({"update-index", "-z", "--index-info"}, listed.lines));
  TRY(change({"update-index", "-z", "--assume-unchanged", "--stdin"},
             zero_separated(listed.assumed)));
  TRY(change({"update-index", "-z", "--skip-worktree", "--stdin"}, zero_separated(listed.skipped)));
  std::erase_if(listed.intended, [&](const auto& path) { return !is_there(git.root() / path); });
  TRY(change({"--literal-pathspecs", "add", "--intent-to-add", "--force", "--pathspec-from-file=-",
              "--pathspec-file-nul"},
             zero_separated(listed.intended)));
  return index;
}

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

Result<> forget_stat_data(const Program& git, const std::vector<Entry>& entries) {
  std::set<std::string_view> paths;
  for (const auto& entry : entries) {
    if (entry.to_take()) paths.insert(entry.path);
  }
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "--stage", "-z"}}));
  std::string lines;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    const auto tab = field.find('\t');
    if (tab == field.npos || !paths.contains(field.substr(tab + 1))) continue;
    lines += field;
    lines += '\0';
  }
  if (!lines.empty()) TRY(git.ask({{"update-index", "-z", "--index-info"}, lines}));
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

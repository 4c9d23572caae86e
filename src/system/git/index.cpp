#include "system/git/index.h"

#include <cerrno>
#include <cstdlib>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "system/git/index_file.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "ralph-index-";

/// Its maker has had the time to lock it: an index was written to it.
bool is_aged(int fd) { return ::faccessat(fd, "index", F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

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

Result<PrivateIndex> PrivateIndex::rebuild(const Program& git, KnownFiles& known) {
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "--stage", "--debug", "-z"}}));
  TRY_ASSIGN(auto entries, parse_index_listing(text));
  std::erase_if(entries, [&](const IndexEntry& entry) {
    return entry.intended && !path_exists(git.root() / entry.path);
  });
  TRY_ASSIGN(auto index, empty(git.git_folder()));
  if (entries.empty()) return index;
  const auto stats = known.look(git.root(), entries, KnownFiles::Disk::of(index.lock_.get()));
  const UniqueFd file(::openat(index.lock_.get(), "index",
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) {
    return fail_errno(errno, fmt::format("cannot make '{}'", index.path().native()),
                      "free disk space, and check the owner");
  }
  TRY(write_all(file.get(), index_bytes(entries, stats), index.path().native()));
  return index;
}

Result<PrivateIndex> PrivateIndex::empty(const fs::path& git_folder) {
  remove_abandoned(git_folder);
  auto name = (git_folder / fmt::format("{}XXXXXX", kPrefix)).native();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot create the directory '{}'", name),
                      "free disk space, and check the owner");
  }
  UniqueFd lock(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock) return fail_errno(errno, fmt::format("cannot open the directory '{}'", name));
  ::flock(lock.get(), LOCK_EX | LOCK_NB);
  return PrivateIndex(fs::path(name), std::move(lock));
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

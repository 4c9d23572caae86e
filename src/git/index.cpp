#include "git/index.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

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
              "free some space there, or set TMPDIR");
}

}  // namespace

Result<PrivateIndex> PrivateIndex::copy(const fs::path& git_folder) {
  std::error_code error;
  auto name = (fs::temp_directory_path(error) / "ralph-index-XXXXXX").native();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    return fail_errno(error ? error.value() : errno,
                      fmt::format("cannot make the folder '{}'", name), "set TMPDIR to another");
  }
  PrivateIndex index{fs::path(name)};
  TRY(copy_with_time(git_folder / "index", index.path()));
  return index;
}

PrivateIndex::~PrivateIndex() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<std::vector<Entry>> list_entries(const Program& git) {
  TRY_ASSIGN(const auto text,
             git.ask({{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames",
                       "--no-ahead-behind", "--ignore-submodules=dirty"}}));
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

}  // namespace ralph::git

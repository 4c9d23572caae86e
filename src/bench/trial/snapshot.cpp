#include "bench/trial/snapshot.h"

#include <utility>

#include "core/base/file.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;

/// What `git init` would make, without starting it.
Result<> make_git_folder(const fs::path& folder) {
  for (const char* name : {"objects", "refs", "info"}) TRY(make_folders(folder / name));
  TRY(write_file_atomically(folder / "config",
                            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"));
  // These win over every .gitattributes: a file counts as text or binary by its content.
  TRY(write_file_atomically(folder / "info" / "attributes",
                            "* !diff !text !eol !filter !ident !merge !working-tree-encoding\n"));
  return write_file_atomically(folder / "HEAD", "ref: refs/heads/main\n");
}

}  // namespace

Result<SnapshotStore> SnapshotStore::open(git::Program git, const fs::path& worktree,
                                          const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "HEAD", error)) TRY(make_git_folder(folder));
  git.pin(worktree, folder);
  return SnapshotStore(std::move(git));
}

Result<std::string> SnapshotStore::take() const {
  TRY(git_.ask({.words = {"add", "--all", "--", "."}}));
  return git_.ask_line({.words = {"write-tree"}});
}

}  // namespace ralph::trial

#include "bench/trial/snapshot.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;

/// Not synced: it has to outlive neither us nor the machine.
Result<> put_file(const Folder& folder, std::string_view name, std::string_view text) {
  TRY_ASSIGN(const auto file, folder.create(name));
  return write_all(file.get(), text, folder.path_of(name).native());
}

/// What `git init` would make, without starting it.
Result<> make_git_folder(const fs::path& path) {
  TRY(make_folders(path));
  TRY_ASSIGN(const auto folder, Folder::open(path));
  TRY(folder.make_folder("objects"));
  TRY(folder.make_folder("refs"));
  TRY_ASSIGN(const auto info, folder.make_folder("info"));
  TRY(put_file(folder, "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"));
  // These win over every .gitattributes: a file counts as text or binary by its content.
  TRY(put_file(info, "attributes",
               "* !diff !text !eol !filter !ident !merge !working-tree-encoding\n"));
  return put_file(folder, "HEAD", "ref: refs/heads/main\n");
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

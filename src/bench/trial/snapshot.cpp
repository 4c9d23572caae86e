#include "bench/trial/snapshot.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "system/git/tree_writer.h"

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
  // The index has a form that git::write_tree() reads.
  TRY(put_file(folder, "config",
               "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsplitIndex = false\n"
               "[index]\n\tversion = 2\n"));
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
  constexpr std::size_t kLargestIndex = std::size_t{1} << 30;
  TRY(git_.ask({.words = {"add", "--all", "--", "."}}));
  std::error_code error;
  const auto file = git_.git_folder() / "index";
  // An empty directory leaves no index; its tree is git's to write.
  if (fs::exists(file, error)) {
    TRY_ASSIGN(const auto index, read_file(file, kLargestIndex));
    TRY_ASSIGN(const auto tree, git::write_tree(index, git_.git_folder() / "objects"));
    if (tree) return *tree;
  }
  return git_.ask_line({.words = {"write-tree"}});
}

}  // namespace ralph::trial

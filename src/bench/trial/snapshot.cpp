#include "bench/trial/snapshot.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/sha256.h"
#include "system/git/index.h"
#include "system/git/tree_writer.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;

/// How much more than the first one a later snapshot may have: an agent can make files faster than they are stored.
constexpr std::size_t kMostNewFiles = 100'000;
constexpr std::uint64_t kMostNewBytes = std::uint64_t{1} << 30;
constexpr std::size_t kLargestIndex = std::size_t{1} << 30;

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
  // These win over every .gitattributes. Every file is text: lines of binary files count too.
  TRY(put_file(info, "attributes",
               "* diff -text !eol !filter !ident !merge !working-tree-encoding\n"));
  return put_file(folder, "HEAD", "ref: refs/heads/main\n");
}

/// Digests of the files below a directory. What is not a regular file is its own kind of content, and so is one over
/// `most_bytes`: it could be sparse, and larger than the memory.
Result<std::map<std::string, std::string>> digests_of(const fs::path& folder,
                                                      std::uintmax_t most_bytes) {
  std::map<std::string, std::string> digests;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const auto status = at->symlink_status(error);
    if (error) break;
    if (fs::is_directory(status)) continue;
    auto& digest = digests[at->path().lexically_relative(folder).native()];
    digest = "not a file";
    if (!fs::is_regular_file(status)) continue;
    digest = "too large";
    if (at->file_size(error) > most_bytes || error) continue;
    TRY_ASSIGN(const auto bytes, read_file(at->path(), most_bytes));
    digest = sha256_hex(bytes);
  }
  if (!error) return digests;
  return fail(Code::storage, fmt::format("cannot read '{}': {}", folder.native(), error.message()));
}

}  // namespace

Result<SnapshotStore> SnapshotStore::open(git::Program git, const fs::path& worktree,
                                          const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "HEAD", error)) TRY(make_git_folder(folder));
  git.pin(worktree, folder);
  git.ignore_user_settings();
  return SnapshotStore(std::move(git));
}

Result<> SnapshotStore::fix_ignored() {
  TRY_ASSIGN(choice_.rules, git::read_ignore_rules(git_.root()));
  return {};
}

/// With a new index: git reads every file.
Result<std::string> SnapshotStore::store(const std::vector<std::string>& paths) const {
  std::error_code ignored;
  const auto index = git_.git_folder() / "index";
  fs::remove(index, ignored);
  TRY(git_.ask(
      {.words = {"update-index", "-z", "--add", "--stdin"}, .input = git::zero_separated(paths)}));
  auto tree = tree_of(index);
  fs::remove(index, ignored);
  return tree;
}

/// An empty directory leaves no index; its tree is git's to write.
Result<std::string> SnapshotStore::tree_of(const fs::path& index) const {
  std::error_code error;
  if (fs::exists(index, error)) {
    TRY_ASSIGN(const auto bytes, read_file(index, kLargestIndex));
    TRY_ASSIGN(const auto tree, git::write_tree(bytes, git_.git_folder() / "objects"));
    if (tree) return *tree;
  }
  return git_.ask_line({.words = {"write-tree"}});
}

Result<std::string> SnapshotStore::take() {
  TRY_ASSIGN(auto files, git::list_all_files(git_.root(), choice_));
  TRY_ASSIGN(auto tree, store(files.paths));
  if (!has_first_) {
    has_first_ = true;
    choice_.most_files = files.paths.size() + files.left_out.size() + kMostNewFiles;
    choice_.most_bytes = files.bytes + kMostNewBytes;
  }
  left_out_ = std::move(files.left_out);
  choice_.known.insert(files.paths.begin(), files.paths.end());
  return tree;
}

Result<std::string> SnapshotStore::take_ignored(const git::PathGlobs& globs) const {
  if (globs.empty() || choice_.rules.empty()) return "";
  auto choice = choice_;
  choice.always = globs;
  choice.most_files = git::FileChoice().most_files;
  choice.most_bytes = git::FileChoice().most_bytes;
  TRY_ASSIGN(auto files, git::list_all_files(git_.root(), choice));
  std::erase_if(files.paths, [&](const auto& path) { return choice_.known.contains(path); });
  if (files.paths.empty()) return "";
  return store(files.paths);
}

Result<> SnapshotStore::import(const std::string& id, const fs::path& objects) const {
  const auto pack = git_.git_folder() / "objects" / "pack";
  TRY(make_folders(pack));
  git::Call call{{"pack-objects", "--revs", "--quiet", (pack / "pack").native()}, id + "\n"};
  call.env.push_back({"GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.native()});
  TRY(git_.ask(call));
  return {};
}

Result<> SnapshotStore::seal() {
  constexpr auto kAny = std::numeric_limits<std::uintmax_t>::max();
  TRY_ASSIGN(seal_, digests_of(git_.git_folder(), kAny));
  largest_sealed_ = 0;
  std::error_code error;
  for (const auto& [path, digest] : seal_) {
    const auto size = fs::file_size(git_.git_folder() / path, error);
    if (!error) largest_sealed_ = std::max(largest_sealed_, size);
  }
  return {};
}

Result<> SnapshotStore::check_seal() const {
  const auto now = digests_of(git_.git_folder(), largest_sealed_);
  if (now && *now == seal_) return {};
  std::string changed = "it cannot be read";
  if (now) {
    const auto [was, is] = std::ranges::mismatch(seal_, *now);
    changed = is != now->end() ? is->first : was->first;
  }
  return fail(Code::permission,
              fmt::format("the record of the files before the agent was changed during the run: "
                          "'{}' ({})",
                          git_.git_folder().native(), changed),
              "run the agent with --sandbox");
}

}  // namespace ralph::trial

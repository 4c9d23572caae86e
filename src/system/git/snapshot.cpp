#include "system/git/snapshot.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/core.h>
#include <sys/stat.h>

#include "core/base/path.h"
#include "system/git/fields.h"
#include "system/git/old_files.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

struct IndexPaths {
  HiddenFlags flags;
  std::vector<std::string> of_ours;  // state files of ralph that were added to git
};

Result<bool> is_sparse(const Program& git) {
  TRY_ASSIGN(const auto captured,
             git.run({{"config", "--type=bool", "--get", "core.sparseCheckout"}}));
  return captured.out.starts_with("true");
}

/// "H path"; a small letter: assume-unchanged, an S: skip-worktree. Paths that a sparse checkout leaves out of the directory
/// are git's affair.
Result<IndexPaths> read_index_paths(const Program& git) {
  TRY_ASSIGN(const bool sparse, is_sparse(git));
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "-v", "-z"}}));
  IndexPaths found;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    if (field.size() < 3) continue;
    const std::string path(field.substr(2));
    const auto tag = static_cast<unsigned char>(field[0]);
    if (std::islower(tag) != 0) found.flags.assume_unchanged.push_back(path);
    if (std::toupper(tag) == 'S' && (!sparse || path_exists(git.root() / path))) {
      found.flags.skip_worktree.push_back(path);
    }
    if (is_state_of_ours(path)) found.of_ours.push_back(path);
  }
  return found;
}

Result<> change_flag(const Program& git, const char* option, const std::vector<std::string>& paths,
                     const fs::path& index) {
  if (paths.empty()) return {};
  TRY(git.ask({{"update-index", "-z", option, "--stdin"}, zero_separated(paths), index}));
  return {};
}

/// Changes of tracked files that the flags hide become part of the index.
Result<> take_in_hidden(const Program& git, Snapshot& snapshot) {
  const auto index = snapshot.index.path();
  TRY(change_flag(git, "--no-assume-unchanged", snapshot.flags.assume_unchanged, index));
  TRY(change_flag(git, "--no-skip-worktree", snapshot.flags.skip_worktree, index));
  TRY_ASSIGN(auto entries, list_entries(git, index));
  std::erase_if(entries, [](const Entry& entry) {
    return entry.staged == '?' || entry.ours() || !entry.to_take();
  });
  for (const auto& entry : entries) snapshot.pinned.push_back(entry.path);
  return take_in(git, entries, index);
}

/// "mode id stage TAB path", each of them a path of its own in the tree.
Result<std::string> staged_tree(const Program& git, KnownFiles& known, bool& conflicts) {
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git, known));
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "--unmerged", "-z"}, {}, index.path()}));
  std::string removed, added;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    const auto tab = field.find('\t');
    if (tab == field.npos || tab < 3) continue;
    const auto path = field.substr(tab + 1);
    const auto mode_and_id = field.substr(0, tab - 2);
    const auto id_size = mode_and_id.size() - std::min(mode_and_id.find(' ') + 1, tab);
    removed += fmt::format("0 {}\t{}", std::string(id_size, '0'), path) + '\0';
    added += fmt::format("{} 0\t{}/{}/{}", mode_and_id, kConflicts, field[tab - 1], path) + '\0';
  }
  conflicts = !added.empty();
  if (conflicts) {
    TRY(git.ask({{"update-index", "-z", "--index-info"}, removed + added, index.path()}));
  }
  return write_tree(git, index.path());
}

}  // namespace

bool is_state_of_ours(std::string_view path) {
  constexpr std::string_view kFolder = ".ralph/";
  constexpr auto kOurs =
      std::to_array<std::string_view>({"logs/", "runs/", "state/", "tmp/", "lock"});
  for (auto at = path.find(kFolder); at != path.npos; at = path.find(kFolder, at + 1)) {
    if (at != 0 && path[at - 1] != '/') continue;
    const auto rest = path.substr(at + kFolder.size());
    if (std::ranges::any_of(kOurs, [&](auto name) { return rest.starts_with(name); })) return true;
  }
  return false;
}

Result<Snapshot> take_snapshot(const Program& git, KnownFiles& known, const LeftAlone& left) {
  TRY_ASSIGN(auto copy, PrivateIndex::rebuild(git, known));
  TRY_ASSIGN(auto paths, read_index_paths(git));
  Snapshot snapshot{std::move(copy), {}, {}, {}, false, std::move(paths.flags), {}};
  snapshot.pinned = std::move(paths.of_ours);
  const auto index = snapshot.index.path();
  TRY_ASSIGN(auto entries, list_entries(git, index));
  for (const auto& entry : entries) {
    if (left.is_own(entry.path) && entry.staged != '?') snapshot.pinned.push_back(entry.path);
  }
  TRY(leave_out(git, left, entries));
  for (const auto& name : left.names(git.root())) snapshot.pinned.push_back(name);
  for (const auto& entry : entries) {
    if (entry.ours() && entry.staged != '?') snapshot.pinned.push_back(entry.path);
  }
  TRY(take_in(git, entries, index));
  TRY_ASSIGN(snapshot.visible_tree, write_tree(git, index));
  snapshot.tree = snapshot.visible_tree;
  if (!snapshot.flags.empty()) {
    TRY(take_in_hidden(git, snapshot));
    TRY_ASSIGN(snapshot.tree, write_tree(git, index));
  }
  TRY_ASSIGN(snapshot.staged_tree, staged_tree(git, known, snapshot.conflicts));
  return snapshot;
}

Result<> set_flags(const Program& git, const HiddenFlags& flags) {
  if (flags.empty()) return {};
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "-z"}}));
  std::set<std::string_view> present;
  for (Fields fields(text); !fields.done();) present.insert(fields.next());
  const auto still_there = [&](std::vector<std::string> paths) {
    std::erase_if(paths, [&](const std::string& path) { return !present.contains(path); });
    return paths;
  };
  TRY(change_flag(git, "--assume-unchanged", still_there(flags.assume_unchanged), {}));
  return change_flag(git, "--skip-worktree", still_there(flags.skip_worktree), {});
}

}  // namespace ralph::git

// From what a directory holds to a tree, without losing what git does not know.
#include <set>

#include <fmt/core.h>
#include <sys/stat.h>

#include "system/git/fields.h"
#include "system/git/old_files.h"
#include "system/git/snapshot.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostReplaced = 10'000;

enum class Kind { none, file, link, folder, other };

Kind kind_of(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return Kind::none;
  if (S_ISREG(info.st_mode)) return Kind::file;
  if (S_ISLNK(info.st_mode)) return Kind::link;
  return S_ISDIR(info.st_mode) ? Kind::folder : Kind::other;
}

/// One line of `diff-tree --raw`.
struct Change {
  char kind = 'M';
  std::string id;  // of what will be there; empty: nothing, or a submodule
  std::string path;
};

/// ":100644 100755 ID ID M"; the id behind the change.
std::string new_id(std::string_view head) {
  const auto last = head.rfind(' ');
  const auto before = last == head.npos ? last : head.rfind(' ', last - 1);
  if (before == head.npos || head.ends_with('D') || head.find(" 160000 ") == 7) return {};
  return std::string(head.substr(before + 1, last - before - 1));
}

/// A file that cannot be written because git has lost its content must not stop us halfway.
Result<> refuse_missing(const Program& git, const std::vector<Change>& changes) {
  std::string ids;
  for (const auto& change : changes) {
    if (!change.id.empty()) ids += change.id + "\n";
  }
  if (ids.empty()) return {};
  TRY_ASSIGN(const auto text, git.ask({{"cat-file", "--batch-check=%(objecttype)"}, ids}));
  const auto missing = text.find(" missing\n");
  if (missing == text.npos) return {};
  const auto line = text.rfind('\n', missing);
  const auto begin = line == text.npos ? 0 : line + 1;
  return fail(Code::malformed,
              fmt::format("the repository in '{}' has lost the object {}", git.root().native(),
                          text.substr(begin, missing - begin)),
              "'git fsck' lists what is missing, 'git fetch' may bring it back; nothing was "
              "changed");
}

Result<std::vector<Change>> list_changes(const Program& git, const Move& move) {
  TRY_ASSIGN(const auto text,
             git.ask({{"diff-tree", "-r", "-z", "--raw", "--no-renames", move.from, move.to}}));
  std::vector<Change> changes;
  for (Fields fields(text); !fields.done();) {
    const auto head = fields.next();
    const auto path = fields.next();
    // A file where a submodule is: git would remove that whole.
    const bool from_module = head.starts_with(":160000 ") && head.find(" 160000 ") == head.npos;
    const char kind = from_module && !head.ends_with('D') ? 'A' : head.back();
    changes.push_back({kind, new_id(head), std::string(path)});
  }
  return changes;
}

/// Finds what is in the directory where a tree has something else, and git does not know.
class Obstacles {
 public:
  Obstacles(const fs::path& root, const std::vector<Change>& changes) : root_(root) {
    for (const auto& change : changes) {
      if (change.kind == 'D') removed_.insert(change.path);
    }
  }

  Result<> look_at(const std::string& path) {
    for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      const auto folder = path.substr(0, slash);
      const auto kind = kind_of(root_ / folder);
      if (kind == Kind::none) return {};
      if (kind != Kind::folder) return removed_.contains(folder) ? Result<>() : add(folder, kind);
      if (known_folders_.insert(folder).second) TRY(refuse_repository(folder));
    }
    const auto kind = kind_of(root_ / path);
    if (kind == Kind::none) return {};
    return kind == Kind::folder ? add_folder(path) : add(path, kind);
  }

  std::vector<std::string> found() const { return {found_.begin(), found_.end()}; }

 private:
  std::unexpected<Error> refused(const std::string& path, std::string_view what) const {
    return fail(Code::busy,
                fmt::format("'{}' is {}, and it is where the commit has something else",
                            (root_ / path).native(), what),
                "move it, then try again; nothing was changed");
  }
  Result<> refuse_repository(const std::string& folder) const {
    if (kind_of(root_ / folder / ".git") == Kind::none) return {};
    return refused(folder, "a repository of its own");
  }
  Result<> add(const std::string& path, Kind kind) {
    if (kind == Kind::other) return refused(path, "neither a file nor a link");
    if (found_.insert(path).second && found_.size() > kMostReplaced) {
      return refused(path, fmt::format("one of more than {} files", kMostReplaced));
    }
    return {};
  }
  Result<> add_folder(const std::string& path) {
    TRY(refuse_repository(path));
    std::error_code error;
    for (fs::recursive_directory_iterator at(root_ / path, error), end; !error && at != end;
         at.increment(error)) {
      const auto inside = at->path().lexically_relative(root_).native();
      const auto kind = kind_of(at->path());
      if (kind == Kind::folder) {
        TRY(refuse_repository(inside));
      } else if (!removed_.contains(inside)) {
        TRY(add(inside, kind));
      }
    }
    if (!error) return {};
    return fail(Code::storage,
                fmt::format("cannot read '{}': {}", (root_ / path).native(), error.message()));
  }

  const fs::path& root_;
  std::set<std::string> removed_;  // git removes them itself
  std::set<std::string> known_folders_;
  std::set<std::string> found_;
};

/// What stays as it is in the directory is in neither tree.
Result<std::string> tree_to_reach(const Program& git, const Snapshot& snapshot,
                                  const std::string& tree) {
  auto left_out = snapshot.pinned;
  TRY_ASSIGN(const auto text, git.ask({{"ls-tree", "-r", "-z", "--name-only", tree}}));
  for (Fields fields(text); !fields.done();) {
    const auto path = fields.next();
    if (is_state_of_ours(path)) left_out.emplace_back(path);
  }
  return tree_without(git, tree, left_out);
}

}  // namespace

Result<Move> plan_move(const Program& git, Snapshot& snapshot, const LeftAlone& left,
                       const std::string& tree) {
  const auto index = snapshot.index.path();
  // A file whose time alone changed is no other file. The exit code says whether there are other ones.
  TRY(git.run({{"update-index", "-q", "--refresh"}, {}, index}));
  Move move;
  TRY_ASSIGN(move.to, tree_to_reach(git, snapshot, tree));
  TRY(remove_paths(git, snapshot.pinned, index));
  TRY(forget_old(git, left, move.to, index));
  TRY_ASSIGN(move.from, write_tree(git, index));
  TRY_ASSIGN(const auto changes, list_changes(git, move));
  TRY(refuse_missing(git, changes));
  Obstacles obstacles(git.root(), changes);
  for (const auto& change : changes) {
    if (change.kind == 'A') TRY(obstacles.look_at(change.path));
  }
  move.replaced = obstacles.found();
  if (move.replaced.empty()) return move;
  TRY_ASSIGN(snapshot.tree, tree_with(git, snapshot.tree, move.replaced));
  TRY(git.ask({{"update-index", "-z", "--add", "--replace", "--stdin"},
               zero_separated(move.replaced),
               index}));
  TRY_ASSIGN(move.from, write_tree(git, index));
  return move;
}

Result<> run_move(const Program& git, const Snapshot& snapshot, const Move& move) {
  TRY(git.ask({{"read-tree", "-m", "-u", "--no-recurse-submodules", move.from, move.to},
               {},
               snapshot.index.path()}));
  return {};
}

}  // namespace ralph::git

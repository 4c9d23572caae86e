#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/git/known_files.h"
#include "system/git/left_alone.h"
#include "system/git/program.h"
#include "system/git/settings.h"

namespace ralph::git {

struct Entry;
struct Move;
struct Position;
struct Snapshot;

/// A git worktree, accessed through the `git` program. Hooks, file watchers and the signing of commits are off, the
/// network is never used, nothing is ever pushed; the user's index is never changed but by commit(), reset_to(), restore()
/// and stash(). `.ralph/` never takes part, nor does a repository inside of this one; a submodule is the commit it stands
/// at. Changes of files that are marked assume-unchanged or skip-worktree stay in the directory, and the marks in the index.
class Worktree {
 public:
  /// nullopt: `folder` lies in no repository, or `git` is not installed (Code::unavailable); `why_not` says which, and what
  /// to do about it. Code::permission: git would wait for a named pipe or a device there.
  static Result<std::optional<Worktree>> open(const std::filesystem::path& folder, Error& why_not,
                                              CallLimits limits = {});

  /// The time is that of file_time_now(). Untracked files born before that are the user's: nothing here takes them in or names them, and no reset removes
  /// them, even if `.gitignore` has changed. For callers that begin with nothing uncommitted: what was untracked then was
  /// ignored. A file that was staged or committed since is no untracked one, but a reset leaves it in the directory.
  void leave_alone_before(UtcTime time) { left_alone_.before = time; }
  /// The files of a commit are not the user's, whatever their age, also where they were moved to since then. `moved`: where
  /// they had been moved to already. For callers that begin at that commit, or go on from there.
  Result<> remember_tracked(const std::string& commit, const std::vector<std::string>& moved);
  /// Files that commits since then took in under another path.
  Result<std::vector<std::string>> moved_since(const std::string& commit) const;
  /// The same paths, for an undo later.
  void know_moved(const std::vector<std::string>& paths) {
    left_alone_.moved.insert(paths.begin(), paths.end());
  }
  /// The same for files by their paths below root(), tracked or not. Code::usage: one of them is staged, and a commit
  /// would take it in.
  Result<> leave_out_paths(const std::vector<std::string>& paths);
  const std::set<std::string>& left_out_paths() const { return left_alone_.paths; }
  /// The same for what this process writes its own output to.
  void leave_out_outputs(std::vector<OwnOutput> outputs) {
    left_alone_.outputs = std::move(outputs);
  }
  /// The same for files and directories with all that is in them. They may lie elsewhere.
  void leave_out_own(const std::vector<std::filesystem::path>& paths);

  /// From now on git runs in a sandbox: a repository can name programs that it starts.
  void wrap_with(Program::Wrap wrap) { git_.wrap_with(std::move(wrap)); }

  /// The id of a tree that is exactly what the directory holds now: tracked and untracked files, ignored ones left out.
  Result<std::string> tree() const;
  /// Empty: there is no commit yet.
  Result<std::string> head() const;
  /// What a commit would move, in full: "refs/heads/main", also before its first commit. Empty: HEAD is detached.
  Result<std::string> branch() const;
  /// Paths with changes that are not committed, untracked files among them.
  Result<std::vector<std::string>> dirty() const;
  /// Code::busy: a merge, a rebase or the like is not finished.
  Result<> ready() const;
  /// Commits all that dirty() names to `branch` (as branch() gives it), by the user's name (or ralph's, where none is
  /// set). What is staged and is different in the directory is kept under refs/ralph/staged-TIME.
  /// Empty: nothing was changed. Code::busy: as ready(), or paths are in conflict, or HEAD is not on that branch.
  Result<std::string> commit(std::string_view message, std::string_view branch) const;
  /// Puts what the directory holds now aside as a stash of this name, as git does: what is staged is its second parent, the
  /// untracked files are its third. 'git stash pop --index' brings all of it back. Kept under refs/ralph/`keep_as` too: an
  /// agent may drop a stash. False: there was nothing. Code::busy as above.
  Result<bool> stash(std::string_view message, std::string_view keep_as = "stashed") const;
  /// Brings such a stash back, as 'git stash pop --index' does. False: it is not in git's list any more, or the directory has
  /// changes it would mix with; nothing was touched.
  Result<bool> unstash(std::string_view message) const;
  /// "stash@{1}": where the oldest stash of that message is in git's list; empty: it is not there.
  std::string stash_entry(std::string_view message) const;
  /// HEAD is on `branch` (empty: detached) again, and that, the index and the directory are as they were at `commit`; files
  /// that were not tracked then are removed, ignored ones stay; no other branch is moved. A merge that is not finished is
  /// given up.
  /// What was there before is kept as a commit under refs/ralph/`keep_as`, or `keep_as`-2, -3 … where that is taken; the
  /// ref is returned. It is HEAD itself where nothing was uncommitted and HEAD stays on its branch. Else it looks like a
  /// stash: its tree is what the directory held, its parents are HEAD and a commit of what was staged, whose further parents
  /// are the branch that moves and the commits of a merge. It is there, and on the disk, before anything is touched.
  /// `replaced`: ignored files that were where the commit has something else, and are in the kept tree only.
  /// Ended in its middle, it can be called again. Code::busy: files were changed meanwhile, or git's locks are held.
  Result<std::string> reset_to(std::string_view commit, std::string_view keep_as,
                               std::string_view branch,
                               std::vector<std::string>* replaced = nullptr) const;
  /// Branch, directory and index are again what such a ref holds; what is there now is kept in the same way.
  Result<std::string> restore(std::string_view ref, std::string_view keep_as) const;
  /// The ref of a reset that was ended in its middle; empty: none was.
  Result<std::string> interrupted() const;
  /// Tracked files that leave_out_paths() leaves out and that differ from HEAD.
  Result<std::vector<std::string>> changed_left_out() const;
  /// Untracked files that leave_alone_before() leaves out.
  Result<std::vector<std::string>> old_untracked() const;
  /// Who commit() commits as where the user's name or address is not known to git: "ralph <ralph@localhost>"; else empty.
  std::string name_of_commits() const;
  /// Whether the user wants commits to be signed, which those of commit() are not.
  bool wants_signatures() const;
  /// Whether the settings git would run programs by are what they were when this was opened, and git would wait for no
  /// named pipe or device.
  Result<> check_settings() const;
  /// Code::permission: git would wait for a named pipe or a device in the worktree.
  Result<> refuse_blocking() const;
  /// The same for settings that check_settings() takes for the same; to compare those of another day.
  const std::string& settings_digest() const { return settings_digest_; }

  const std::filesystem::path& root() const { return git_.root(); }
  const Program& program() const { return git_; }

 private:
  Worktree(Program git, Settings settings)
      : git_(std::move(git)),
        settings_(std::move(settings)),
        settings_digest_(settings_.digest()),
        known_(std::make_unique<KnownFiles>()) {}
  /// As list_entries(), without the files to leave alone.
  Result<std::vector<Entry>> entries() const;
  Result<> keep_staged(const std::vector<Entry>& entries) const;
  struct Destination;
  Result<std::string> go_to(const Destination& to, const std::string& name,
                            std::vector<std::string>* replaced) const;
  Result<> arrive(const Destination& to, const Position& from, const Snapshot& snapshot,
                  const Move& move, const std::string& branch_tip,
                  const std::string& also_tip) const;
  Result<Destination> destination_of(const std::string& commit) const;
  Result<std::string> make_kept(const Position& position, const Snapshot& snapshot,
                                const Destination& to, const std::string& name,
                                const std::string& branch_tip,
                                const std::vector<std::string>& further) const;

  Program git_;
  Settings settings_;
  std::string settings_digest_;
  std::unique_ptr<KnownFiles> known_;  // grows in const functions: it saves time only
  LeftAlone left_alone_;
};

}  // namespace ralph::git

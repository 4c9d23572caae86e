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

/// One file of a difference.
struct FileChange {
  char kind = 'M';  // A, M, D, T
  std::string path;
  std::int64_t added = 0, removed = 0;  // lines; -1: not text
  bool operator==(const FileChange&) const = default;
};

/// What became of files that were kept.
struct KeptFiles {
  std::vector<std::string> missing, changed;
  std::vector<std::string> all;
  bool has_earlier = false;  // the commit has a parent with earlier versions
};

/// A ref ("HEAD" for a detached one, "stash@{0}"), and what it stood for.
struct RefValue {
  std::string ref, commit;  // commit: or the id of an annotated tag
  bool operator==(const RefValue&) const = default;
};

/// A repository somebody works in, through the `git` program. Hooks, file watchers and the signing of commits are off, the
/// network is never used, nothing is ever pushed; the user's index is never changed but by commit(), reset_to(), restore()
/// and stash(). `.ralph/` never takes part, nor does a repository inside of this one; a submodule is the commit it stands
/// at. Changes of files that are marked assume-unchanged or skip-worktree stay in the folder, and the marks in the index.
class Work {
 public:
  /// nullopt: `folder` lies in no repository, or `git` is not installed (`why_not` says which). Code::permission: git would
  /// wait for a named pipe or a device there.
  static Result<std::optional<Work>> open(const std::filesystem::path& folder, std::string& why_not,
                                          CallLimits limits = {});

  /// The time is that of file_time_now(). Untracked files born before that are the user's: nothing here takes them in or names them, and no reset removes
  /// them, whatever `.gitignore` says by now. For whoever begins with nothing uncommitted: what was untracked then was
  /// ignored. A file that was staged or committed since is no untracked one, but a reset leaves it in the folder.
  void leave_alone_before(UtcTime time) { left_alone_.before = time; }
  /// The same for files by their paths below root(), tracked or not. Code::usage: one of them is staged, and a commit
  /// would take it in.
  Result<> leave_out_paths(const std::vector<std::string>& paths);
  const std::set<std::string>& left_out_paths() const { return left_alone_.paths; }
  /// The same for what this process writes its own output to.
  void leave_out_outputs(std::vector<OwnOutput> outputs) {
    left_alone_.outputs = std::move(outputs);
  }
  /// The same for files and folders with all that is in them. They may lie elsewhere.
  void leave_out_own(const std::vector<std::filesystem::path>& paths);

  /// From now on git runs in a sandbox: a repository can name programs that it starts.
  void wrap_with(Program::Wrap wrap) { git_.wrap_with(std::move(wrap)); }

  /// The id of a tree that is exactly what the folder holds now: tracked and untracked files, ignored ones left out.
  Result<std::string> tree() const;
  /// Empty: there is no commit yet.
  Result<std::string> head() const;
  /// What a ref, in full, stands for; empty: there is none.
  Result<std::string> commit_of(const std::string& ref) const;
  /// What a commit would move, in full: "refs/heads/main", also before its first commit. Empty: HEAD is detached.
  Result<std::string> branch() const;
  /// The first parent of a commit; empty: it has none.
  Result<std::string> parent(std::string_view commit) const;
  /// What HEAD has beyond a commit, the newest first. Code::usage: HEAD does not come from there.
  Result<std::vector<std::string>> commits_since(std::string_view commit) const;
  /// What `to` has beyond `from`, the newest first.
  Result<std::vector<std::string>> commits_between(std::string_view from,
                                                   std::string_view to) const;
  /// All that led to it, the newest first.
  Result<std::vector<std::string>> commits_to(std::string_view commit) const;
  /// The first line of a commit's message.
  Result<std::string> subject(std::string_view commit) const;
  /// Paths with changes that are not committed, untracked files among them.
  Result<std::vector<std::string>> dirty() const;
  /// Between two trees or commits; renames are an A and a D.
  Result<std::vector<FileChange>> changes(std::string_view from, std::string_view to) const;
  /// For people; without colour; a very long one is cut.
  Result<std::string> diff(std::string_view from, std::string_view to) const;

  /// Code::busy: a merge, a rebase or the like is not finished.
  Result<> ready() const;
  /// Commits all that dirty() names to `branch` (as branch() gives it), by the user's name (or ralph's, where none is
  /// set). What is staged and is different in the folder is kept under refs/ralph/staged-TIME.
  /// Empty: nothing was changed. Code::busy: as ready(), or paths are in conflict, or HEAD is not on that branch.
  Result<std::string> commit(std::string_view message, std::string_view branch) const;
  /// Puts what the folder holds now aside as a stash of this name, what is staged as its second parent: 'git stash pop
  /// --index' brings both back. Kept under refs/ralph/`keep_as` too: an agent may drop a stash. False: there was nothing.
  /// Code::busy as above.
  Result<bool> stash(std::string_view message, std::string_view keep_as = "stashed") const;
  /// Brings such a stash back, as 'git stash pop --index' does. False: it is not in git's list any more, or the folder has
  /// changes it would mix with; nothing was touched.
  Result<bool> unstash(std::string_view message) const;
  /// "stash@{1}": where the oldest stash of that message is in git's list; empty: it is not there.
  std::string stash_entry(std::string_view message) const;
  /// HEAD is on `branch` (empty: detached) again, and that, the index and the folder are as they were at `commit`; files
  /// that were not tracked then are removed, ignored ones stay; no other branch is moved. A merge that is not finished is
  /// given up.
  /// What was there before is kept as a commit under refs/ralph/`keep_as`, or `keep_as`-2, -3 … where that is taken; the
  /// ref is returned. It is HEAD itself where nothing was uncommitted and HEAD stays on its branch. Else it looks like a
  /// stash: its tree is what the folder held, its parents are HEAD and a commit of what was staged, whose further parents
  /// are the branch that moves and the commits of a merge. It is there, and on the disk, before anything is touched.
  /// `replaced`: ignored files that were where the commit has something else, and are in the kept tree only.
  /// Ended in its middle, it can be called again. Code::busy: files were changed meanwhile, or git's locks are held.
  Result<std::string> reset_to(std::string_view commit, std::string_view keep_as,
                               std::string_view branch,
                               std::vector<std::string>* replaced = nullptr) const;
  /// Branch, folder and index are again what such a ref holds; what is there now is kept in the same way.
  Result<std::string> restore(std::string_view ref, std::string_view keep_as) const;
  /// The ref of a reset that was ended in its middle; empty: none was.
  Result<std::string> interrupted() const;
  /// Keeps where all branches, tags, stashes and a detached HEAD are, as a commit under refs/ralph/`keep_as`, and each
  /// annotated tag under refs/ralph/tags-`keep_as`/: an agent may delete them. Does nothing when that ref is there
  /// already. Code::limit: there are too many, and only the newest are kept.
  Result<> keep_refs(std::string_view keep_as) const;
  /// Deletes those refs; call it when lost_refs() names none.
  Result<> drop_kept_refs(std::string_view kept_as) const;
  /// Those of them whose commits or annotated tags only that ref still leads to; empty, where there is no such ref.
  Result<std::vector<RefValue>> lost_refs(std::string_view kept_as) const;
  /// Keeps the files at these paths as a commit under refs/ralph/`keep_as`. Where that ref is there already: on top of
  /// it, with its version of those that are missing.
  Result<> keep_files(const std::vector<std::string>& paths, std::string_view keep_as) const;
  /// Those of them that differ now; none, where there is no such ref.
  Result<KeptFiles> compare_kept_files(std::string_view kept_as) const;
  /// Writes those again that are missing, and those of leave_out_paths() that `commit` has; their paths. Never replaces
  /// anything.
  Result<std::vector<std::string>> put_back_missing(std::string_view kept_as,
                                                    const std::string& commit) const;
  /// Tracked files that leave_out_paths() leaves out and that differ from HEAD.
  Result<std::vector<std::string>> changed_left_out() const;
  /// Untracked files that leave_alone_before() leaves out.
  Result<std::vector<std::string>> old_untracked() const;
  /// Files and folders that git ignores now, and that were made since then.
  Result<std::vector<std::string>> new_ignored(UtcTime since) const;
  /// Who commit() commits as where the user's name or address is not known to git: "ralph <ralph@localhost>"; else empty.
  std::string name_of_commits() const;
  /// Whether the user wants commits to be signed, which those of commit() are not.
  bool wants_signatures() const;
  /// Whether the settings git would run programs by are what they were when this was opened, and git would wait for no
  /// named pipe or device.
  Result<> check_settings() const;
  /// The same for settings that check_settings() takes for the same; to compare those of another day.
  const std::string& settings_digest() const { return settings_digest_; }

  const std::filesystem::path& root() const { return git_.root(); }
  const Program& program() const { return git_; }

 private:
  Work(Program git, Settings settings)
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
  Result<std::string> keep(const std::string& name, const std::string& commit) const;
  Result<std::string> make_commit(const std::string& tree, const std::vector<std::string>& parents,
                                  std::string_view message) const;

  Program git_;
  Settings settings_;
  std::string settings_digest_;
  std::unique_ptr<KnownFiles> known_;  // grows in const functions: it saves time only
  LeftAlone left_alone_;
};

}  // namespace ralph::git

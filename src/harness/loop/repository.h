#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/store/loop_state.h"

namespace ralph::loop {

/// The files an agent works on, as the steps of a loop see them.
class Repository {
 public:
  virtual ~Repository() = default;

  /// An id of what the files hold now; empty: unknown. Undoes what hides changes from git; where the repository cannot
  /// be trusted any more, tampered() has the error from then on; a full disk becomes the keeper's storage error.
  virtual std::string content() = 0;
  virtual const std::optional<Error>& tampered() const = 0;
  /// The commit; empty: there is none.
  virtual std::string head() const = 0;

  /// Commits all changes to `branch`; the commit, empty: nothing was changed, or there is no git.
  virtual Result<std::string> commit(std::string_view message, std::string_view branch) = 0;
  /// Whether HEAD holds all changes, on the branch of the start with its commits.
  virtual Result<> check_committed() const = 0;

  /// Whether files, HEAD or branch differ from what they were before the iteration. Puts back files of the user that it
  /// deleted, which are in no commit.
  virtual Result<bool> needs_rollback(const store::Current& before) = 0;
  struct RolledBack {
    std::string kept;                   // the ref of what was there
    std::vector<std::string> replaced;  // ignored files that are only there now
  };
  virtual Result<RolledBack> roll_back(const store::Current& before) = 0;

  /// Files that differ between two contents, those that were new in the second left out.
  struct Changed {
    std::vector<std::string> of_start, others;
  };
  virtual Result<Changed> changed_between(const std::string& from, const std::string& to) = 0;

  /// An edit of the goal file that is not the goal is not the work of an iteration: adds it to state.left_out.
  virtual void leave_out_edited_goal(store::LoopState& state) = 0;
};

}  // namespace ralph::loop

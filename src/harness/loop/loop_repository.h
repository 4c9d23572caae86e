#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/loop/control.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/repository.h"
#include "harness/loop/setup.h"
#include "harness/loop/state_keeper.h"
#include "system/git/integrity.h"
#include "system/git/worktree.h"

namespace ralph::loop {

/// The workspace of a loop: a git repository, or a plain directory.
class LoopRepository final : public Repository {
 public:
  /// All of them outlive it.
  LoopRepository(const Setup& setup, StateKeeper& keeper, LoopReporter& reporter, Control& control)
      : setup_(setup),
        keeper_(keeper),
        state_(keeper.state),
        reporter_(reporter),
        control_(control) {}

  /// Code::usage: --commit, and there is no repository.
  Result<> open(const std::vector<OwnOutput>& outputs);
  /// Null: a plain directory.
  git::Worktree* git() { return git_ ? &*git_ : nullptr; }
  const git::Worktree* git() const { return git_ ? &*git_ : nullptr; }

  /// In full; "HEAD": it is detached.
  Result<std::string> branch() const;
  /// Of the settings by which git runs programs or hides files.
  std::string settings_digest() const;
  /// The commits beyond that of the start, the newest first.
  std::vector<std::string> commits_since_start() const;
  std::vector<std::string> left_out_paths() const;

  std::string content() override;
  const std::optional<Error>& tampered() const override { return tampered_; }
  std::string head() const override;
  Result<std::string> commit(std::string_view message, std::string_view branch) override;
  Result<> check_committed() const override;
  Result<bool> needs_rollback(const store::Current& before) override;
  Result<RolledBack> roll_back(const store::Current& before) override;
  Result<Changed> changed_between(const std::string& from, const std::string& to) override;
  void leave_out_edited_goal(store::LoopState& state) override;

 private:
  void remember_moved(const std::vector<std::string>& paths);
  void warn_unknown_content(const Error& error);

  const Setup& setup_;
  StateKeeper& keeper_;
  const store::LoopState& state_;
  LoopReporter& reporter_;
  Control& control_;
  std::optional<git::Worktree> git_;
  std::optional<git::Integrity> integrity_;
  std::optional<Error> tampered_;
  bool warned_ = false;  // that the content is unknown
};

/// Whether a list of paths has this one.
bool is_among(const std::vector<std::string>& paths, const std::string& path);

/// The goal file below the root of the repository; empty: there is none, or it lies elsewhere.
std::string goal_in_repository(const store::LoopState& state, const git::Worktree& git);

}  // namespace ralph::loop

#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/loop/control.h"
#include "harness/loop/done_verifier.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/loop_repository.h"
#include "harness/loop/setup.h"
#include "harness/loop/start_files.h"
#include "harness/loop/verifier.h"
#include "system/git/path_glob.h"

namespace ralph::loop {

/// Verifies with the user's commands, in the workspace or in a clean clone, with the files of --protect as they were at
/// the start.
class WorkspaceVerifier final : public DoneVerifier {
 public:
  /// All of them outlive it; `state` is that of the loop.
  WorkspaceVerifier(const Setup& setup, const store::LoopState& state, LoopRepository& repository,
                    LoopReporter& reporter, Control& control)
      : setup_(setup),
        state_(state),
        repository_(repository),
        reporter_(reporter),
        control_(control) {}

  /// Reads the commands and their scripts. Warns of programs that PATH does not find.
  Result<> open();
  /// What --protect and --verify-clean need is there before the first iteration; `user` remembers what is put aside
  /// (null: nothing can be remembered).
  Result<> prepare(const store::UserState* user);
  /// A resumed loop has the files of its start from git, and compares their digest.
  Result<> recover_protected();

  const Verifier& verifier() const { return *verifier_; }
  std::string protected_digest() const { return start_files_.digest(); }
  /// What a user should know of the files of verification before the loop begins; empty: nothing.
  std::string notice() const;

  std::vector<std::string> commands() const override { return verifier_->files().names(); }
  Result<store::Verification> verify(const std::string& content) override;

 private:
  void check_programs();
  Result<> trust_scripts();
  Result<> read_protected();
  std::string in_workspace(const std::string& path) const;
  Result<store::Verification> verify_in_clone(const std::string& tree);
  Result<store::Verification> verify_in_place();
  std::string missing_program(const store::Verification& verification) const;
  Result<store::Verification> run(const Verifier::Mode& mode, std::string_view where);

  const Setup& setup_;
  const store::LoopState& state_;
  LoopRepository& repository_;
  LoopReporter& reporter_;
  Control& control_;
  const store::UserState* user_ = nullptr;
  std::optional<Verifier> verifier_;
  std::map<std::string, std::string> missing_;  // commands whose program PATH did not find, and it
  git::PathGlobs protect_;
  StartFiles start_files_;            // what they match
  std::set<std::string> not_in_git_;  // of those: ignored by git
  std::string bubblewrap_;            // its path; empty: it is not used
};

}  // namespace ralph::loop

#include "cli/undo_settings.h"

#include <algorithm>

#include "cli/run_settings.h"
#include "system/git/history.h"

namespace ralph::cli {

void know_settings_of_start(const git::Worktree& work, const store::LoopState& state,
                            const std::string& commit, run::SettingsAround& before) {
  if (state.commit_at_start.empty()) return;
  const auto changes = git::changes(work.program(), state.commit_at_start, commit);
  if (!changes) return;
  for (const auto& file : obeyed_files({}, nullptr)) {
    const auto name = run::full_name(file);
    const auto path = name.lexically_relative(work.root()).native();
    if (std::ranges::find(*changes, path, &git::FileChange::path) == changes->end()) {
      before.know(name);
    }
  }
}

}  // namespace ralph::cli

#pragma once
#include <string>

#include "harness/run/settings_around.h"
#include "harness/store/loop_state.h"
#include "system/git/worktree.h"

namespace ralph::cli {

/// Settings that an undo to `commit` put back as they were when the loop began need not be accepted: the loop obeyed
/// them, so the user had. Call it after the files were put back, in the project's root; `before` is what there was.
void know_settings_of_start(const git::Worktree& work, const store::LoopState& state,
                            const std::string& commit, run::SettingsAround& before);

}  // namespace ralph::cli

#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/env_change.h"

namespace ralph::hook {

/// Where the commands of hooks run.
struct HookPlace {
  std::filesystem::path cwd;
  std::vector<process::EnvChange> environment;  // changes
};

/// A command that has ended.
struct CommandRun {
  std::string out, err;
  std::optional<int> exit_code;  // nullopt: a signal ended it, or it was ended
  Millis duration{0};
  std::string ended;       // why it was ended, or could not be started; empty: it ended by itself
  bool cancelled = false;  // ended by a stop request
};

/// Runs a command of a hook with the shell; `input` is its stdin. Nothing of it is left running. Ended at its time limit and
/// when it prints more than kMostOutput; what it printed until then is kept.
CommandRun run_hook_command(const std::string& command, std::string input, Millis timeout,
                            const HookPlace& place, const std::stop_token& stop);

}  // namespace ralph::hook

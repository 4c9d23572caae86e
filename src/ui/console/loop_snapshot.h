#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/run_snapshot.h"
#include "cli/std_output.h"
#include "core/base/result.h"
#include "harness/loop/state.h"
#include "harness/store/loop_event.h"
#include "harness/store/workspace.h"

namespace ralph::cli {

enum class LoopCondition { running, waiting, ended, died };
std::string_view to_string(LoopCondition condition);

/// The loop of a folder at one moment, read from its files. Reading changes nothing.
struct LoopSnapshot {
  std::filesystem::path folder;      // that holds `.ralph`
  std::optional<loop::State> state;  // nullopt: there was never one
  std::vector<loop::Record> records;
  std::optional<store::LoopEvent> step;       // the newest; of a loop without events: by its state
  std::optional<store::Lock::Holder> holder;  // of the workspace, whatever it does

  /// A loop works here now, or waits.
  bool runs() const;
  LoopCondition condition() const;
  /// Who reads what 'ralph tell' says now: "for iteration 4", and what has to happen before, if anything.
  std::string reader() const;
  /// The agent's run that the loop is at, or was when it died; nullopt: none, or nothing is known of it.
  std::optional<RunSnapshot> run() const;
};

/// The folder that holds `.ralph` for the one --cwd names, or for this one: the root of its repository.
Result<std::filesystem::path> folder_of(const Arguments& arguments);
Result<LoopSnapshot> read_loop(const std::filesystem::path& folder, StdOutput& output);

inline constexpr Option kCwdOption{
    "--cwd", "DIR", "a folder of the repository the loop works in; without it: this one"};

}  // namespace ralph::cli

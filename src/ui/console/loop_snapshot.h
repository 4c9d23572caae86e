#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "harness/store/lock.h"
#include "harness/store/loop_event.h"
#include "harness/store/loop_state.h"
#include "harness/store/workspace.h"
#include "ui/console/run_snapshot.h"

namespace ralph::console {

enum class LoopCondition { running, waiting, ended, died };
std::string_view to_string(LoopCondition condition);

/// The loop of a directory at one moment, read from its files. Read-only.
struct LoopSnapshot {
  std::filesystem::path folder;           // contains `.ralph`
  std::optional<store::LoopState> state;  // nullopt: no loop has run here
  std::vector<store::LoopRecord> records;
  std::optional<store::LoopEvent> step;       // the newest; without events: taken from the state
  std::optional<store::Lock::Holder> holder;  // of the workspace's lock; may not be a loop
  std::vector<std::string> warnings;          // files that cannot be read

  /// A loop is running or waiting.
  bool runs() const;
  LoopCondition condition() const;
  /// Which iteration gets a message of 'ralph tell' that is left now, and what must happen first: "for iteration 4".
  std::string guidance_reader() const;
  /// The agent run that is in progress, or was when the loop died; nullopt: none, or it has no journal.
  std::optional<RunSnapshot> run(const Masker& masker) const;
};

LoopSnapshot read_loop(const std::filesystem::path& folder);

}  // namespace ralph::console

#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/mask.h"
#include "harness/store/loop_record.h"
#include "ui/console/loop_snapshot.h"

namespace ralph::console {

/// What `ralph status` shows of a loop that has a state.
struct StatusFacts {
  LoopSnapshot loop;
  std::optional<RunSnapshot> run;         // in progress, or killed
  std::optional<store::LoopRecord> done;  // whose DONE ended the loop; nullopt: none is trusted
  bool agent_reports_cost = true;
  std::int64_t guidance_given = 0;    // messages in the prompt of the running iteration
  std::int64_t guidance_waiting = 0;  // messages for a later one
  bool stop_requested = false;
  std::string stash_entry;               // "stash@{0}": where --stash left the user's changes
  std::string resume_base;               // "ralph loop --resume" as it works from here
  std::filesystem::path current_folder;  // paths are shown relative to it
};

/// Aligned lines for people.
std::string status_text(const StatusFacts& facts, const Masker& masker);
/// One JSON object and a newline.
std::string status_json(const StatusFacts& facts, const Masker& masker);

}  // namespace ralph::console

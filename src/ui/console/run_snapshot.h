#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/mask.h"
#include "core/base/time.h"
#include "ui/console/activity.h"

namespace ralph::console {

/// A run that has not ended, read from its journal.
struct RunSnapshot {
  Activity::Kind kind = Activity::Kind::model;
  std::string text;                // as console::Activity::Now
  UtcTime since;                   // when that began
  UtcTime alive_at;                // the time of its newest record
  std::string raw_log;             // of its last start; empty: not known
  std::optional<double> cost_usd;  // so far; nullopt: unknown
  std::string model = {};          // that the agent reported; empty: none yet
};

/// nullopt: there is no journal yet, or none that can be read. Read-only.
std::optional<RunSnapshot> read_run(const std::filesystem::path& folder, std::string_view run_id,
                                    UtcTime began, const Masker& masker);

}  // namespace ralph::console

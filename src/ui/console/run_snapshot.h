#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "ui/console/activity.h"

namespace ralph::cli {

/// The run of an agent as its journal tells it, while it still runs.
struct RunSnapshot {
  view::Activity::Kind kind = view::Activity::Kind::model;
  std::string text;                // as view::Activity::Now
  UtcTime since;                   // when that began
  UtcTime alive_at;                // the last sign of it
  std::string raw_log;             // of its last start; empty: not known
  std::optional<double> cost_usd;  // so far; nullopt: unknown
};

/// nullopt: there is no journal yet, or none that can be read. Reads only.
std::optional<RunSnapshot> read_run(const std::filesystem::path& folder, std::string_view run_id,
                                    UtcTime began);

}  // namespace ralph::cli

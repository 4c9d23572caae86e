#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/load.h"
#include "harness/backend/plan.h"

namespace ralph::run {

/// An agent CLI that is installed.
struct InstalledAgent {
  std::string name, path, version;
  std::string problem;  // why the version is unknown
  bool driven = false;  // ralph can run it
  bool broken = false;  // it cannot be started, or fails at once
};

/// The result of one check.
struct Check {
  enum class Level { ok, note, warning, blocks };
  Level level = Level::ok;
  std::string_view name;  // "credential"
  std::string message, hint;
};
std::string_view to_string(Check::Level level);

/// The results of all checks.
struct Checkup {
  std::vector<InstalledAgent> agents;
  std::vector<Check> checks;
  bool own_agent = false;  // ralph's own would be run, under whatever name

  bool blocked() const;
};

/// Checks everything a run needs. Starts agents only to ask their versions, all at the same time. `settings` is the
/// configuration of the run, or its error.
Checkup check_up(const Result<config::Loaded>& settings, const backend::Host& host);

}  // namespace ralph::run

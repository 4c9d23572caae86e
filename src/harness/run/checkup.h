#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/plan.h"
#include "core/base/result.h"
#include "core/config/load.h"

namespace ralph::run {

/// An agent CLI that is installed.
struct InstalledAgent {
  std::string name, path, version;
  std::string problem;  // why there is no version
  bool driven = false;  // ralph can run it
};

/// One thing that was looked at.
struct Check {
  enum class Level { ok, note, warning, blocks };
  Level level = Level::ok;
  std::string_view name;  // "credential"
  std::string message, hint;
};
std::string_view to_string(Check::Level level);

/// What stands between this machine and a run.
struct Checkup {
  std::vector<InstalledAgent> agents;
  std::vector<Check> checks;
  bool own_agent = false;  // ralph's own would be run, under whatever name

  bool blocked() const;
};

/// Looks at everything a run needs; starts agents only to ask their version, all at the same time. `settings` is what
/// the run would be configured with, or why it is not.
Checkup check_up(const Result<config::Loaded>& settings, const backend::Host& host);

}  // namespace ralph::run

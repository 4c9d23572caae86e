#pragma once
#include <map>
#include <string>

#include "core/config/settings.h"
#include "harness/loop/setup.h"

namespace ralph::cli {

/// Kept for --resume: not the goal, which is kept itself, nor variables, which may be secret, nor how it is shown.
bool is_kept_for_resume(config::Key key);

/// What a loop works by and --resume compares, by key; defaults are left out.
std::map<std::string, std::string> fixed_settings(const config::Settings& settings);

loop::Options loop_options(const config::Settings& settings);

}  // namespace ralph::cli

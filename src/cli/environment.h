#pragma once
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "core/config/settings.h"
#include "system/process/env_change.h"
#include "ui/console/console.h"

namespace ralph::cli {

/// Our environment as "NAME=value" entries.
std::vector<std::string> environment();

/// What the debug log is masked with: at first the secrets of our environment. Change it before there are threads.
Masker& log_masker();

/// Knows the secrets of our environment, of the variables the settings hold, and of `more`: those of `.envrc`.
Masker masker_for(const config::Settings& settings,
                  const std::vector<process::EnvChange>& more = {});

/// Colours and screens as stdout and stderr are now. Colour needs a terminal, and NO_COLOR unset or empty.
view::ConsoleOptions console_options(view::Verbosity verbosity);

/// The same with the verbosity of these flags over the environment's.
view::ConsoleOptions console_options(view::VerbosityWish flags);

}  // namespace ralph::cli

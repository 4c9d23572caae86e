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

/// Masks the debug log: initially the secrets of our environment. Change it before starting threads.
Masker& log_masker();

/// Masks the secrets of our environment, of `env` in the settings, and of `more` (from `.envrc`).
Masker masker_for(const config::Settings& settings,
                  const std::vector<process::EnvChange>& more = {});

/// Options for the current stdout and stderr. Colour needs a terminal, and NO_COLOR unset or empty.
console::ConsoleOptions console_options(console::Verbosity verbosity);

/// The same; these flags override the verbosity of the environment.
console::ConsoleOptions console_options(console::VerbosityWish flags);

}  // namespace ralph::cli

#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/command.h"

namespace ralph::loop {

/// What the `.envrc` of a workspace changes, and what is wrong with it.
struct Envrc {
  std::vector<process::EnvChange> env;
  std::vector<std::string> warnings;
};

/// Asks direnv, when it is installed and there is an `.envrc`. One that the user has not allowed is not read, and never
/// allowed by us. `env` is on top of our own environment for direnv itself; `wrap` puts it into a sandbox, when there
/// is one.
Envrc load_envrc(const std::filesystem::path& workspace, const std::vector<process::EnvChange>& env,
                 Millis limit = Millis{30'000}, const std::stop_token& stop = {},
                 const std::function<Result<process::Command>(process::Command)>& wrap = {});

}  // namespace ralph::loop

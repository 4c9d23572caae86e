#pragma once
// Private to this module's .cpp files.
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "harness/backend/plan.h"

namespace ralph::run {

/// Whether a variable, or a setting, holds what a sandbox hides: by its name, or because the value has the form of a key or
/// of an address with a password.
bool is_secret(std::string_view name, std::string_view value, const Masker& shapes);

/// What a sandbox does to the environment of a program in it.
struct SandboxEnv {
  std::vector<process::EnvChange> changes;  // for the start of bwrap: they come last
  std::vector<std::string> words;           // of bwrap: variables that must not reach bwrap itself
  std::vector<std::string> removed;         // names of secrets that were set and are not passed on
};

/// Who gets the environment: only the agent keeps its API key at SandboxLevel::on.
enum class EnvFor { agent, command };

/// Removes secrets but those of the setting `env`, and the ways to agents and desktops outside (ssh-agent, D-Bus, X11,
/// Docker). Variables of the loader (LD_PRELOAD …) go through bwrap's command line: bwrap runs outside the sandbox and
/// must not load what the agent can write. `env` are the command's own changes.
SandboxEnv sandbox_env(const backend::Host& host, const std::vector<process::EnvChange>& env,
                       const backend::Backend* backend, EnvFor whom);

}  // namespace ralph::run

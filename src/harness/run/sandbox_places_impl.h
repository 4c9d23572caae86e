#pragma once
// Private to this module's .cpp files.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/mounts_impl.h"

namespace ralph::run {

/// The system's places that hold secrets or lead outside, and the homes.
void hide_places(Mounts& mounts, const std::filesystem::path& home,
                 const std::filesystem::path& workspace);

/// The user's own git settings with what they include and name, read-only.
void show_git_settings(Mounts& mounts, const backend::Host& host,
                       const std::filesystem::path& home);

/// The files an agent keeps under its own directory: sessions and the login stay, everything else of it is read-only, and
/// what it adds beside is gone afterwards. In a strict sandbox no credential is shown.
Result<> show_agent_state(Mounts& mounts, backend::Plan& plan, const backend::Host& host,
                          const std::filesystem::path& home, std::string_view run_id);

/// The workspace, writable, with what gives power later read-only: `.ralph` and the directory of logs, settings of ralph, of direnv and of
/// agents, git's settings and hooks. Of what does not exist, only git's directories cannot be created: see ProtectedFiles.
Result<> show_workspace(Mounts& mounts, const backend::Host& host);

/// A repository that a command of git works on: its root, read-only, and its git directory, wherever they are. Code::usage
/// for a root that holds a hidden place, as the home.
Result<> show_repository(Mounts& mounts, const std::filesystem::path& folder);

}  // namespace ralph::run

#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/plan.h"

namespace ralph::run {

/// Puts a command into the sandbox it was made for. Empty: there is none.
using Wrap = std::function<Result<process::Command>(process::Command)>;

/// Puts the plan's command into bubblewrap, as docs/run.md describes each level: the system read-only, the workspace and
/// a private /tmp writable, what ralph, git or an agent would obey later read-only, the home hidden but for what the
/// agent needs, its own processes, IS_SANDBOX=1. `run_id` names private files. Code::unavailable when `bwrap` is missing
/// or refused, with what it said.
Result<> put_into_sandbox(backend::Plan& plan, const backend::Host& host,
                          std::string_view run_id = "run");

/// For commands of ours beside the agent, such as verification: the same places, no credentials, and no network at all
/// at SandboxLevel::strict. SandboxLevel::off: an empty function.
Result<Wrap> sandbox_for_commands(const backend::Host& host);
/// The same for git, which also gets the repository the workspace lies in.
Result<Wrap> sandbox_for_git(const backend::Host& host);

/// git::named_paths() of the workspace.
std::vector<std::filesystem::path> named_by_repository(const backend::Host& host);

/// Whether what the sandbox shows, or where the key goes, depends on this variable.
bool decides_sandbox(std::string_view variable);

/// Whether it would work here: starts `bwrap … true`.
Result<> check_sandbox(const backend::Host& host);

/// A program that runs outside the sandbox on its behalf: found by ralph's own PATH, never in the workspace.
Result<std::filesystem::path> trusted_program(std::string_view name, const backend::Host& host);

}  // namespace ralph::run

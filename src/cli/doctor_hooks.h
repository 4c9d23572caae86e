#pragma once
#include <string>
#include <vector>

#include "agent/wire/hook_check.h"
#include "cli/std_output.h"
#include "core/base/mask.h"

namespace ralph::cli {

/// The hooks in effect, as text and as a JSON array. Nothing if there are none.
std::string hooks_text(const std::vector<wire::HookLine>& hooks, const Masker& masker);
std::string hooks_json(const std::vector<wire::HookLine>& hooks, const Masker& masker);

/// Runs the hooks that match and prints what they answer. Returns the exit code: 1 if one failed.
int try_hook(const wire::HookContext& context, std::string_view what, const Masker& masker,
             StdOutput& output);

}  // namespace ralph::cli

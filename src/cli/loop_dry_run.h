#pragma once
#include "cli/std_output.h"
#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/config/settings.h"
#include "harness/loop/setup.h"

namespace ralph::cli {

/// Shows what a loop would do and how its next agent would be started; starts and writes nothing.
Result<> show_loop_dry_run(const loop::Setup& setup, const config::Settings& settings,
                           const Masker& masker, StdOutput& output);
/// Prints the prompt of the next iteration; the exit code.
int print_prompt(const loop::Setup& setup, const Masker& masker, StdOutput& output);

}  // namespace ralph::cli

#pragma once
#include "cli/std_output.h"
#include "core/base/mask.h"
#include "core/base/result.h"
#include "harness/run/request.h"

namespace ralph::cli {

/// Shows how the agent would be started and which files would be written; starts and writes nothing.
Result<> show_dry_run(run::Request request, bool json, const Masker& masker, StdOutput& output);

}  // namespace ralph::cli

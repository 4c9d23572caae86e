#pragma once
#include "harness/loop/setup.h"
#include "ui/console/loop_header.h"

namespace ralph::cli {

/// Starts nothing: another program's version is known only if an earlier 'ralph doctor' asked for it.
console::LoopFacts facts_of(const loop::Setup& setup);

}  // namespace ralph::cli

#pragma once
#include "harness/loop/loop_context.h"

namespace ralph::loop {

/// The agent said DONE: whether the loop is over. nullopt: verification refused it, which the record says. Where
/// commands of verification changed files, the record gets the content they left.
MaybeStop check_done(LoopContext& loop, store::LoopRecord& record);

}  // namespace ralph::loop

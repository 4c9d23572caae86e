#pragma once
// Private to this room's .cpp files.
#include "loop/loop_impl.h"

namespace ralph::loop {

/// The agent's output reaches the raw log first: what a kill kept from the journal is only there. The journal counts where
/// the log cannot be read or says no more.
void add_from_log(RunEnd& end, const Setup& setup, const store::Workspace& workspace);

/// Answer and verdict of a run whose end is not known.
void conclude_interrupted(RunEnd& end, const Setup& setup);

}  // namespace ralph::loop

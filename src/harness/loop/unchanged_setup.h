#pragma once
#include "harness/loop/loop_repository.h"
#include "harness/loop/setup.h"
#include "harness/loop/verifier.h"

namespace ralph::loop {

/// Whether settings, verification and repository of a loop that is resumed are those it began with: an agent may have
/// changed them. Code::usage says what is different; --accept-changes takes it as it is now.
Result<> check_unchanged_setup(const Setup& setup, const store::LoopState& old,
                               const Verifier& verifier, const LoopRepository& repository);

}  // namespace ralph::loop

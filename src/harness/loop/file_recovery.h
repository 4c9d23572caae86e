#pragma once
#include "harness/loop/file_swap.h"
#include "harness/store/user_state.h"

namespace ralph::loop {

/// Puts back what a killed ralph moved away, by the list in `user` only, in this directory or another one below the root.
FileSwap::PutBack recover_files(const FileSwap::Place& place, const store::UserState* user);

}  // namespace ralph::loop

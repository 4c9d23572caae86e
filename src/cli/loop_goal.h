#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options.h"
#include "core/base/result.h"
#include "core/config/settings.h"
#include "harness/run/request.h"
#include "harness/store/loop_state.h"

namespace ralph::cli {

/// What a loop works on.
struct Goal {
  std::string text;
  std::string file = {};            // as the user named it; "-": standard input; empty: -p TEXT
  std::filesystem::path path = {};  // absolute, of a file that can be looked at again
  std::string seen = {};            // loop::goal_id() of that file
  std::string message = {};         // of a resumed loop: what became of the file since
  bool edited = false;              // since then, and used
};

/// Of the command line, of the loop that is resumed, or of the settings. Code::usage: there is none, or there are two.
Result<Goal> read_goal(const Arguments& arguments, const config::Settings& settings,
                       run::Invocation& invocation, const std::optional<store::LoopState>& state);

}  // namespace ralph::cli

#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/mask.h"
#include "core/config/load.h"
#include "harness/loop/setup.h"
#include "harness/store/loop_state.h"

namespace ralph::cli {

/// The settings of `ralph loop`, and the loop that it resumes.
struct LoadedLoop {
  config::Loaded settings;
  std::map<std::string, std::string>
      before;  // fixed_settings(), with what was said at the start only
  std::vector<config::FlagValue> flags;
  std::optional<store::LoopState> state;  // of the loop that is resumed
  std::filesystem::path from = ".";       // where the settings were looked for
};
Result<LoadedLoop> load_loop(const Arguments& arguments, StdOutput& output);

/// `masker` learns the secrets of `.envrc`.
Result<loop::Setup> make_loop_setup(const Arguments& arguments, const LoadedLoop& loaded,
                                    Masker& masker);

}  // namespace ralph::cli

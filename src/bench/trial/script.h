#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/test_case.h"
#include "core/base/result.h"

namespace ralph::trial {

/// How a user's script is run.
struct ScriptContext {
  std::filesystem::path folder;         // its working directory, unless the script names one
  std::vector<config::Pair> variables;  // of the trial: also replaces ${NAME} in its arguments
  bool whole_environment = false;       // otherwise only PATH, HOME and USER of ours
  std::function<void(std::string_view)> on_output;
  std::stop_token stop = {};
};

/// Runs `sh -c` with the command and its arguments. Nothing of it is left running. Errors: "Script exited with code 7".
Result<> run_script(const ScriptSpec& script, const ScriptContext& context);

}  // namespace ralph::trial

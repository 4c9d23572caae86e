#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/command.h"
#include "system/process/supervise.h"

namespace ralph::process {

struct CaptureLimits {
  Millis wall{0};                            // zero: none
  std::size_t bytes = std::size_t{1} << 20;  // of stdout, and of stderr
  bool keep_end = false;                     // of what is longer; else its beginning
  EndPolicy end = {};
};

/// What a program printed, and how it ended.
struct Captured {
  Exit exit;
  std::string out, err;
  bool cut = false;  // there was more
  bool ok() const { return exit.exit_code == 0; }
};

/// Runs a program to its end; nothing of it is left running. An error: it could not be started. `on_output` gets every
/// piece of either output as it comes.
Result<Captured> capture(const Command& command, const CaptureLimits& limits,
                         const std::stop_token& stop = {},
                         const std::function<void(std::string_view)>& on_output = {});

}  // namespace ralph::process

#pragma once
#include <string>
#include <string_view>

#include "agent/tool/background.h"
#include "agent/tool/bash_command.h"
#include "agent/tool/tool.h"
#include "core/base/time.h"

/// How the results of Bash read.
namespace ralph::tool {

/// Of a command that ended by itself. `note`: what else is to be said, e.g. about its folder.
Outcome answer_ended(BashCommand& command, std::string_view text, std::string_view note);
Outcome answer_timed_out(BashCommand& command, Millis timeout, std::string_view note);
/// Of one that was stopped; `output` is empty when it had not begun.
Outcome answer_interrupted(const BashOutput& output);
/// Of one that runs on: at once, or after its time was over. `longest`: how long it may.
Outcome answer_background(const BackgroundTask& task, Millis longest);
Outcome answer_moved(BashCommand& command, const BackgroundTask& task, Millis timeout,
                     Millis longest);

}  // namespace ralph::tool

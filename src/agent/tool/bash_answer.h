#pragma once
#include <string>
#include <string_view>

#include "agent/tool/background.h"
#include "agent/tool/bash_command.h"
#include "agent/tool/tool.h"
#include "core/base/time.h"

/// The results of Bash, worded as Claude Code words them.
namespace ralph::tool {

/// For a command that ended by itself. `note`: a further line, e.g. about the working directory.
Outcome answer_ended(BashCommand& command, std::string_view text, std::string_view note);
Outcome answer_timed_out(BashCommand& command, Millis timeout, std::string_view note);
/// For a stopped command; `output` is empty if it had not started.
Outcome answer_interrupted(const BashOutput& output);
/// For a command started in the background. `longest`: its time limit there.
Outcome answer_background(const BackgroundTask& task, Millis longest);
/// For a command moved to the background when its timeout expired.
Outcome answer_moved(BashCommand& command, const BackgroundTask& task, Millis timeout,
                     Millis longest);

}  // namespace ralph::tool

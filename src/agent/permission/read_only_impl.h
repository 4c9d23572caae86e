#pragma once
#include <optional>

#include "agent/permission/read_only_commands.h"

/// Commands whose arguments need more than a row in the table of read_only_commands.cpp. `arguments`: without the name.
namespace ralph::permission {

std::optional<ReadingCommand> reading_cd(Words arguments);
std::optional<ReadingCommand> reading_command_builtin(Words arguments);
std::optional<ReadingCommand> reading_date(Words arguments);
std::optional<ReadingCommand> reading_find(Words arguments);
std::optional<ReadingCommand> reading_git(Words arguments);
std::optional<ReadingCommand> reading_jq(Words arguments);
std::optional<ReadingCommand> reading_printf(Words arguments);
std::optional<ReadingCommand> reading_ps(Words arguments);
std::optional<ReadingCommand> reading_sed(Words arguments);
/// `test`, and `[` without its "]".
std::optional<ReadingCommand> reading_test(Words arguments);

}  // namespace ralph::permission

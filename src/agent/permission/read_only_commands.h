#pragma once
#include <optional>
#include <vector>

#include "agent/permission/command_options.h"
#include "core/base/shell_words.h"

/// The commands that change nothing and start no other program, each with the options for which that holds.
namespace ralph::permission {

/// What a read-only command reads.
struct ReadingCommand {
  std::vector<ShellWord> files = {};  // the words that name files; none: the current directory
  bool names_files = true;
  bool contents_below = false;  // shows the content of files below its directories
  bool follows_links = false;   // follows links inside its directories
};
/// nullopt: not known to be read-only with these arguments.
std::optional<ReadingCommand> reading_command(const ShellCommand& command);

}  // namespace ralph::permission

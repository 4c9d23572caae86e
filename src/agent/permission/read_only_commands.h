#pragma once
#include <optional>
#include <vector>

#include "agent/permission/command_options.h"
#include "core/base/shell_words.h"

/// The commands that change nothing and start nothing else, each with the options for which that is so.
namespace ralph::permission {

/// What a command that only reads would read.
struct ReadingCommand {
  std::vector<ShellWord> files = {};  // the words that name files; none: the current folder
  bool names_files = true;
  bool contents_below = false;  // shows what is in files below the folders among them
  bool follows_links = false;   // follows links it meets in folders among them
};
/// nullopt: it is not known, or not with these arguments, to change nothing and to start nothing.
std::optional<ReadingCommand> reading_command(const ShellCommand& command);

}  // namespace ralph::permission

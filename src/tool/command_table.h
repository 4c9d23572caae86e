#pragma once
#include <cstddef>
#include <optional>

#include "tool/shell_words.h"

/// What is known of programs, by name.
namespace ralph::tool {

/// How a command that only reads uses its arguments.
struct ReadingCommand {
  bool names_files = true;     // its operands are files
  bool pattern_first = false;  // but the first one is something to look for
};
/// nullopt: it is not known, or not in this form, to change nothing and to start nothing.
std::optional<ReadingCommand> reading_command(const ShellCommand& command);

/// Whether a reading command is told to follow links it meets, or to read files that a file lists.
bool reads_further(const ShellCommand& command);

/// Whether git is told, or may be told, to show what is in files, of now or of before.
bool git_shows_contents(const ShellCommand& command);

/// mkdir, touch, rm, rmdir, mv, cp, and sed -i with a plain substitution.
struct FileCommand {
  std::size_t first_operand = 1;  // words before it name no files
  bool removes = false;
};
/// nullopt: it is none, or has arguments that could make it do something else.
std::optional<FileCommand> file_command(const ShellCommand& command);

}  // namespace ralph::tool

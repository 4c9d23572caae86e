#pragma once
#include <optional>
#include <vector>

#include "core/base/shell_words.h"

namespace ralph::permission {

/// mkdir, touch, rm, rmdir, mv, cp, and sed -i with a plain substitution.
struct FileCommand {
  enum class Kind { make, remove, copy, move, edit };
  Kind kind = Kind::make;
  std::vector<ShellWord> files = {};     // files it changes or creates; of copies: the sources
  std::optional<ShellWord> target = {};  // of copies and moves
  bool copies_folders = false;
};
/// nullopt: another command, or arguments with which it could do something else.
std::optional<FileCommand> file_command(const ShellCommand& command);

}  // namespace ralph::permission

#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shell_words.h"

namespace ralph::loop {

/// Distinguishes the program under test from the check: whether another command judges the output of a command.
class JudgedOutput {
 public:
  /// Files that this line names may be the output of a command of any other.
  void add(std::string_view line);
  /// For each command of a line: whether its output goes to another one, or to a file that another one names. Commands
  /// that only show something (`tee`, `cat`) judge nothing.
  std::vector<bool> of(const std::vector<ShellCommand>& commands) const;

 private:
  bool has_any(const std::vector<ShellWord>& words) const;

  std::set<std::string> named_;  // by commands that may judge
};

}  // namespace ralph::loop

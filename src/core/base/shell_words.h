#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ralph {

/// A word of a command as the shell would pass it on, quotes and escapes taken away.
struct ShellWord {
  std::string text;
  bool literal =
      true;  // false: the shell makes something of it (variables, wildcards, "~", braces)
  bool pattern = false;      // wildcards or braces, and nothing else that is not literal
  bool quoted = false;       // some character that could be a wildcard's is quoted: it is itself
  bool certain = true;       // its first character is one the shell passes on as it is
  bool captures = false;     // a command's output is in it: "$(…)", quoted or not
  bool several = false;      // wildcards, braces, variables or output outside of quotes: the same
  bool quoted_code = false;  // "$(" or "`" is in it as text
  std::vector<std::string> variables = {};  // "$NAME" and "${NAME}" in it

  bool is(std::string_view what) const { return literal && text == what; }
};

/// One command: a name and its arguments, without pipes and lists around it.
struct ShellCommand {
  std::vector<ShellWord> words;          // redirections and assignments are not among them
  std::vector<ShellWord> outputs;        // files it would write by ">", ">>" …; /dev/null is none
  std::vector<ShellWord> inputs;         // files it would read by "<"
  std::vector<ShellWord> here_strings;   // texts it would read by "<<<"
  std::vector<std::string> assignments;  // "NAME=value" before the name
  std::string text;                      // as it is written
  bool quoted_code = false;              // of some word
  bool captured = false;                 // a pipe or a substitution takes what it prints
};

/// A command line taken apart: the commands of its lists, pipes, subshells and substitutions. Whatever is not surely
/// what we take it for makes the whole line not understood; the commands are then those seen so far.
struct ShellLine {
  std::vector<ShellCommand> commands;
  bool understood = true;
  std::size_t parsed = 0;  // bytes of the line that were parsed; fewer than all: not understood
};
ShellLine parse_shell_line(std::string_view line);

}  // namespace ralph

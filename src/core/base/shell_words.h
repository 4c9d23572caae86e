#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ralph {

/// A word of a command as the shell would pass it to the program, without quotes and escapes.
struct ShellWord {
  std::string text;
  bool literal = true;       // false: the shell expands it (variables, wildcards, "~", braces)
  bool pattern = false;      // wildcards or braces, and nothing else that is expanded
  bool quoted = false;       // a quoted character is one that wildcards are made of
  bool certain = true;       // the shell passes on its first character unchanged
  bool captures = false;     // contains a command's output: "$(…)", quoted or not
  bool several = false;      // may become several words: unquoted wildcards, variables …
  bool quoted_code = false;  // contains "$(" or "`" as text
  std::vector<std::string> variables = {};  // "$NAME" and "${NAME}" in it

  bool is(std::string_view what) const { return literal && text == what; }
};

/// The outermost construct around a command.
enum class ShellNesting { none, subshell, substitution };

/// One command: a name and its arguments, without the pipes and lists around it.
struct ShellCommand {
  std::vector<ShellWord> words;          // without redirections and assignments
  std::vector<ShellWord> outputs;        // files it would write by ">", ">>" …, except /dev/null
  std::vector<ShellWord> inputs;         // files it would read by "<"
  std::vector<ShellWord> here_strings;   // texts it would read by "<<<"
  std::vector<std::string> assignments;  // "NAME=value" before the name
  std::string text;                      // as written in the line
  bool quoted_code = false;              // of any word
  bool captured = false;                 // a pipe or a substitution reads its output
  ShellNesting nesting = ShellNesting::none;
};

/// A parsed command line: the commands of its lists, pipes, subshells and substitutions; a substitution's come before the one
/// that contains it.
struct ShellLine {
  std::vector<ShellCommand> commands;
  bool understood = true;
  std::size_t parsed = 0;  // bytes before the first construct that was not understood
};

/// Stops at the first construct whose meaning is not certain: the line is then not understood, and has the commands
/// up to there.
ShellLine parse_shell_line(std::string_view line);

/// Continues after such a construct with a guess. Never use it to decide about permissions.
ShellLine guess_shell_line(std::string_view line);

}  // namespace ralph

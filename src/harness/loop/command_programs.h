#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace ralph::loop {

using ShellWords = std::span<const ShellWord>;

/// How a program reads its options, as far as needed to find the first word after them.
struct OptionValues {
  std::string_view letters;  // short options whose value may be the next word
  std::string_view names;    // the same for long ones, separated by blanks
};
/// An option with its value, which is empty where it has none.
struct Option {
  std::string name;  // "-C", "--chdir"
  ShellWord value;
};
/// Takes the options off the front of `words`, and "--".
std::vector<Option> take_options(ShellWords& words, const OptionValues& values);

/// A program that runs a script.
struct Interpreter {
  std::string_view names;  // separated by blanks
  OptionValues values = {};
  std::string_view code = {};   // options after which no operand is a script
  std::string_view loads = {};  // options whose value is a script
  bool operand = true;          // the first operand is a script
};
/// Of the name of a program, a version at its end left out; null: it is not known as one.
const Interpreter* interpreter_of(std::string_view name);

/// Names of files that a program reads by itself, and from there on others; empty: it is not known as such a program.
std::vector<std::string_view> files_read_by(std::string_view program);

/// A command without what is in front of it.
struct Unwrapped {
  ShellWords words;                      // the program and its arguments; empty: there is none
  std::vector<std::string> texts;        // arguments that a wrapper runs as shell code
  std::vector<ShellWord> folders;        // where a wrapper changes to
  std::vector<std::string> assignments;  // "NAME=value"
};
/// Without words of the shell ("if", "!") and programs that run their arguments: `timeout -s KILL 5`, `env -i A=1`,
/// `poetry run`.
Unwrapped unwrap(ShellWords words);

}  // namespace ralph::loop

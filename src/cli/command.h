#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::cli {

class Arguments;
class StdOutput;

/// One option of a command, as data.
struct Option {
  std::string_view names;  // "-v,--verbose"; Arguments knows it by the long one, without dashes
  std::string_view value;  // "N|max"; empty: a flag
  std::string_view help;
  std::string_view topic = {};    // the title of its section in help; empty: "Options"
  bool on_request = false;        // listed by `--help --all` only
  std::string_view choices = {};  // "a|b": the valid values
};

enum class Need { required, optional };

struct Positional {
  std::string_view name;  // "FILE"
  std::string_view help;
  Need need = Need::required;
};

struct Example {
  std::string_view line;
  std::string_view what;
};

/// One command of ralph as data. Its file in cli/ has the tables.
struct Command {
  std::string_view name;
  std::string_view summary;                 // one line in the list of commands
  std::string_view about;                   // a paragraph in its own help
  std::span<const Positional> positionals;  // required ones first
  std::span<const Option> options;
  std::span<const Example> examples;
  int (*run)(const Arguments&, StdOutput&);  // returns the exit code
  std::string_view rest;  // "COMMAND…": the words after "--"; empty: they are positionals
  std::span<const Option> (*settings)() =
      nullptr;  // options that are settings, listed before its own
  /// If set, gets the words unparsed: the command has its own command line syntax.
  int (*run_words)(std::span<const std::string>, StdOutput&) = nullptr;
  /// Its own commands, which have two words as name ("bench run"); nullptr: it has none.
  std::span<const Command* const> (*parts)() = nullptr;
};

/// The last word of a command's name.
constexpr std::string_view last_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

/// All options of a command.
std::vector<Option> options_of(const Command& command);

/// Every command, in the order of the help text.
std::span<const Command* const> commands();

extern const Command kRunCommand;
extern const Command kLoopCommand;
extern const Command kStatusCommand;
extern const Command kTellCommand;
extern const Command kStopCommand;
extern const Command kReplayCommand;
extern const Command kDoctorCommand;
extern const Command kMockCommand;
extern const Command kConfigCommand;
extern const Command kAgentCommand;
extern const Command kAuthCommand;
extern const Command kTrustCommand;
extern const Command kUndoCommand;
extern const Command kDemoCommand;
extern const Command kInitCommand;
extern const Command kCompletionCommand;
extern const Command kDocsCommand;
extern const Command kBenchCommand;

}  // namespace ralph::cli

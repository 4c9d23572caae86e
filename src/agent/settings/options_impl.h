#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"

namespace ralph::settings {

/// The words as they are read, before the rules between them are looked at.
struct Draft {
  Options options;
  std::vector<std::string> operands;  // words that are no options
  bool print_said = false;
  bool await_initialize = false;
  bool forward_subagent_text = false;
  bool prompt_suggestions = false;
  bool schema_said = false;
  bool restricted = false;
  bool worktree = false;
  std::string resume_session_at;
  std::string resume_drops_turn;
};

/// Takes over a value (empty for a flag) and says what is wrong with it; empty: nothing.
using SetOption = std::string (*)(Draft&, const std::string& value);

std::string set_max_turns(Draft& draft, const std::string& value);
std::string set_loop_guard(Draft& draft, const std::string& value);
std::string set_max_thinking(Draft& draft, const std::string& value);
std::string set_budget(Draft& draft, const std::string& value);
std::string check_task_budget(Draft& draft, const std::string& value);

enum class Where { listed, hidden };  // in Claude Code's own --help

/// One option. Its names and how many words it takes are in `flags`: "<x>" one, "[x]" one or none, "<x...>" one and
/// all that follow and are no options.
struct OptionRow {
  std::string_view flags;
  Where where;
  std::string_view choices;  // divided by blanks; empty: anything
  SetOption set;             // nullptr: accepted and not used
  std::string_view help;
};

std::span<const OptionRow> option_rows();

struct CommandRow {
  std::string_view name;
  std::string_view instead;
};

/// What Claude Code takes for a command when it is the first word that is not an option.
std::span<const CommandRow> command_rows();

/// "-p, --print <x>" in parts.
std::vector<std::string_view> names_of(const OptionRow& row);
inline bool takes_value(const OptionRow& row) { return row.flags.find('<') != row.flags.npos; }
inline bool may_take_value(const OptionRow& row) { return row.flags.find('[') != row.flags.npos; }
inline bool takes_list(const OptionRow& row) { return row.flags.find("...") != row.flags.npos; }

/// At commas, blanks around the parts removed.
std::vector<std::string> split_commas(std::string_view text);
std::vector<std::string_view> split_blanks(std::string_view text);

}  // namespace ralph::settings

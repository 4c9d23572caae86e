#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"

namespace ralph::settings {

/// The options as parsed, before their combinations are checked.
struct Draft {
  Options options;
  std::vector<std::string> operands;  // arguments that are not options
  bool print_said = false;
  bool await_initialize = false;
  bool prompt_suggestions = false;
  bool schema_said = false;
  bool restricted = false;
  bool safe_mode = false;
  bool plan_mode_required = false;
  bool project_config_root = false;
  bool worktree = false;
  std::string resume_session_at;
  std::string resume_drops_turn;
};

/// Stores a value (empty for a flag). Returns what is wrong with it; empty: nothing.
using SetOption = std::string (*)(Draft&, const std::string& value);

std::string set_max_turns(Draft& draft, const std::string& value);
std::string set_loop_guard(Draft& draft, const std::string& value);
std::string set_max_thinking(Draft& draft, const std::string& value);
std::string set_budget(Draft& draft, const std::string& value);
std::string check_task_budget(Draft& draft, const std::string& value);

enum class Where { listed, hidden };  // in Claude Code's own --help

/// One option. `flags` has its names and its arguments: "<x>" one, "[x]" one or none, "<x...>" one or more, up to the next
/// option.
struct OptionRow {
  std::string_view flags;
  Where where;
  std::string_view choices;  // separated by blanks; empty: any value
  SetOption set;             // nullptr: accepted without effect
  std::string_view help;
};

std::span<const OptionRow> option_rows();

struct CommandRow {
  std::string_view name;
  std::string_view instead;
};

/// The subcommands of Claude Code.
std::span<const CommandRow> command_rows();

/// The names in "-p, --print <x>".
std::vector<std::string_view> names_of(const OptionRow& row);
inline bool takes_value(const OptionRow& row) { return row.flags.find('<') != row.flags.npos; }
inline bool may_take_value(const OptionRow& row) { return row.flags.find('[') != row.flags.npos; }
inline bool takes_list(const OptionRow& row) { return row.flags.find("...") != row.flags.npos; }

/// Splits at commas and trims the parts.
std::vector<std::string> split_commas(std::string_view text);
std::vector<std::string_view> split_blanks(std::string_view text);

}  // namespace ralph::settings

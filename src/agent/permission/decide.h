#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/access.h"
#include "core/base/result.h"

namespace ralph::permission {

/// `default`, `acceptEdits`, `plan`, `dontAsk`, `auto`, `bypassPermissions`; "manual" is `default`.
enum class Mode { standard, accept_edits, plan, dont_ask, automatic, bypass };
Result<Mode> parse_mode(std::string_view word);
std::string_view to_string(Mode mode);

/// Rules of flags and settings, as they are written: "Bash", "Bash(git *)", "Read(src/**)", "mcp__server".
struct Rules {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  std::vector<std::string>
      ask;  // need a prompt even where the mode would allow; without a user: denied
};

/// Who says whether a call may be made.
enum class Reason {
  none,
  mode,
  rule,
  subcommand_results,
  working_dir,
  safety_check,
  other,
  async_agent
};
/// As JSON has it; of `none` "".
std::string_view to_string(Reason reason);

/// Whether a call may be made.
struct Decision {
  bool allowed = false;
  Reason reason_type = Reason::none;
  std::string message;        // of a denial, for the model and the client
  std::string reason;         // of a denial, shorter; empty: none
  Grant grant = Grant::none;  // none: denied
};

/// Claude Code's table for a session without a user: what would need a prompt is denied.
Decision decide(const ToolCall& call, Mode mode, const Rules& rules);

/// The patterns of files that rules keep from being read, for tool::Workspace::Setup.
std::vector<std::string> unreadable_patterns(const Rules& rules);

/// Whether a command line only looks: every part of it, through pipes, lists and substitutions, is a command known to
/// change nothing and to start nothing else.
bool only_reads(std::string_view command);

/// Whether a command line surely leaves the folder of later commands as it is.
bool stays_in_folder(std::string_view command);

}  // namespace ralph::permission

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

/// Rules of flags and settings as written: "Bash", "Bash(git *)", "Read(src/**)", "mcp__server".
struct Rules {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  std::vector<std::string> ask;  // need a prompt even if the mode allows; without a user: denied
};

/// What a decision is based on.
enum class Reason {
  none,
  mode,
  rule,
  subcommand_results,
  working_dir,
  safety_check,
  other,
  async_agent,
  hook,
  user
};
/// The name in JSON; "" for `none`.
std::string_view to_string(Reason reason);

/// Whether a call may be made.
struct Decision {
  bool allowed = false;
  Reason reason_type = Reason::none;
  std::string message = {};   // of a denial, for the model and the client
  std::string reason = {};    // of a denial, a short form; may be empty
  Grant grant = Grant::none;  // none: denied
  bool askable = false;       // of a denial: a person could allow it
  bool asked = false;         // of a denial: somebody was asked
};

/// Decides as Claude Code does in a session without a user: what would need a prompt is denied.
Decision decide(const ToolCall& call, Mode mode, const Rules& rules);

/// The path patterns of rules that deny reading, for tool::Workspace::Setup.
std::vector<std::string> unreadable_patterns(const Rules& rules);

/// Whether a command line is read-only: every command of its pipes, lists and substitutions is known to change nothing
/// and to start no other program.
bool only_reads(std::string_view command);

/// Whether a command line certainly does not change the working directory.
bool stays_in_folder(std::string_view command);

}  // namespace ralph::permission

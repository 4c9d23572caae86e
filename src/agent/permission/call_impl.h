#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agent/permission/command_files.h"
#include "agent/permission/decide.h"
#include "agent/permission/rule.h"
#include "core/base/shell_words.h"

/// Internal parts of decide().
namespace ralph::permission {

/// A command of a line with its analysis, made once for all rules.
struct CommandPart {
  const ShellCommand* command = nullptr;
  std::optional<ReadingCommand> reading = {};
  std::optional<FileCommand> change = {};
  std::vector<std::string> texts = {};     // the forms of the command that deny rules match
  std::vector<std::string> embedded = {};  // texts it may run: deny rules match from each word on
};

/// A call with its parsed command line.
struct Call {
  explicit Call(const ToolCall& call);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::string_view tool;
  const json::Document& input;
  const Access& access;
  const WorkingFolders& folders;
  const std::filesystem::path& cwd;
  ShellLine line;                     // of run
  std::vector<CommandPart> parts;     // of the line
  std::optional<CommandFiles> files;  // of run
};

/// Whether a deny or ask rule matches this call or a part of it.
bool restricts(const std::string& rule, const Call& call);
/// Whether a rule about a command may match a part of the line, depending on how the shell expands its words.
bool may_restrict(const Rule& rule, const Call& call);
/// Whether an allow rule matches the whole call; for the parts of a command line see permits_part.
bool permits(const std::string& rule, const Call& call);
/// Whether an allow rule matches a part of a command line.
bool permits_part(const std::string& rule, const Call& call, const ShellCommand& command);

/// The decision of a mode where no rule matches.
Decision decide_by_mode(const Call& call, Mode mode, const Rules& rules);

Decision allowed(Reason reason, Grant grant);
/// See Decision for `message` and `reason`.
Decision denied(Reason type, std::string message, std::string reason);

}  // namespace ralph::permission

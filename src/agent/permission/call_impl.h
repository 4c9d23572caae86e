#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agent/permission/command_files.h"
#include "agent/permission/decide.h"
#include "agent/permission/rule.h"
#include "core/base/shell_words.h"

/// Parts of decide().
namespace ralph::permission {

/// A command of a line with what is known of it, found once for all rules.
struct CommandPart {
  const ShellCommand* command = nullptr;
  std::optional<ReadingCommand> reading = {};
  std::optional<FileCommand> change = {};
  std::vector<std::string> texts = {};    // what a rule against the command is held against
  std::vector<std::string> carried = {};  // the same from each word on: it may start what is there
};

/// A call with its command line taken apart.
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

/// Whether a rule that denies or asks is about this call, or a part of it.
bool restrains(const std::string& rule, const Call& call);
/// Whether a rule against a command may be about a part of the line, depending on what the shell makes of its words.
bool may_restrain(const Rule& rule, const Call& call);
/// Whether an allow rule is about all of this call; of a command line: see permits_part.
bool permits(const std::string& rule, const Call& call);
/// Whether an allow rule is about a part of a command line.
bool permits_part(const std::string& rule, const Call& call, const ShellCommand& command);

/// What a mode says where no rule does.
Decision decide_by_mode(const Call& call, Mode mode, const Rules& rules);

Decision allowed(Reason reason, Grant grant);

}  // namespace ralph::permission

#include <algorithm>

#include <fmt/format.h>

#include "agent/permission/call_impl.h"
#include "agent/permission/repository_check.h"
#include "agent/permission/sensitive_files.h"
#include "core/base/path.h"

namespace ralph::permission {
namespace {

/// Whether a mode allows changes in the working directories without a rule.
bool changes_inside_freely(Mode mode) {
  return mode == Mode::accept_edits || mode == Mode::automatic || mode == Mode::bypass;
}
/// For the Read tool only. The kernel restricts commands to the working directories in every mode.
bool reads_everywhere(Mode mode) {
  return mode == Mode::plan || mode == Mode::automatic || mode == Mode::bypass;
}

Decision decide_read(const Call& call, Mode mode) {
  const auto& path = call.access.path;
  const auto& output = call.folders.output_folder;
  const bool own_output = !output.empty() && is_below(path, output);
  if (call.folders.contains(path) || own_output || reads_everywhere(mode)) {
    return allowed(Reason::mode, mode == Mode::bypass ? Grant::user : Grant::reading);
  }
  return denied(
      Reason::working_dir,
      fmt::format("Reading {} is not permitted: it is outside the working directories, and "
                  "this session cannot ask for permission.",
                  path.string()),
      "Path is outside the working directories");
}

std::string_view why_not(Mode mode) {
  return mode == Mode::plan ? ": plan mode is on, and nothing is changed"
                            : ", and this session cannot ask for permission";
}

Decision decide_write(const Call& call, Mode mode) {
  const auto& path = call.access.path;
  const bool inside = is_surely_inside(path, call.folders);
  if (mode == Mode::bypass) return allowed(Reason::mode, Grant::user);
  if (inside && changes_inside_freely(mode)) {
    if (!is_sensitive(path, call.folders)) return allowed(Reason::mode, Grant::editing);
    return denied(
        Reason::safety_check,
        fmt::format("Writing to {} needs an explicit permission rule: other programs read "
                    "commands from this file.",
                    path.string()),
        "Sensitive file");
  }
  return denied(inside ? Reason::none : Reason::working_dir,
                fmt::format("Writing to {} is not permitted{}.", path.string(), why_not(mode)),
                inside ? "" : "Path is outside the working directories");
}

/// Why one command of a line is allowed, or why not.
enum class Verdict { by_rule, by_reading, by_mode, changes_files, unknown };

/// The shell opens a network connection for such a name after "<" or ">".
bool is_network(const ShellWord& word) {
  return word.text.starts_with("/dev/tcp/") || word.text.starts_with("/dev/udp/");
}

/// Judges the parts of one command line one after another.
class LineJudge {
 public:
  LineJudge(const Call& call, Mode mode, const Rules& rules)
      : call_(call), rules_(rules), free_(changes_inside_freely(mode)) {}

  Verdict judge(const CommandPart& part) {
    const auto& command = *part.command;
    const auto& files = *call_.files;
    if (std::ranges::any_of(command.inputs, is_network) ||
        std::ranges::any_of(command.outputs, is_network)) {
      return Verdict::unknown;
    }
    if (!command.outputs.empty() && !(free_ && files.outputs_inside(command)))
      return Verdict::changes_files;
    if (is_permitted(command)) return Verdict::by_rule;
    if (part.reading) return may_read(part) ? Verdict::by_reading : Verdict::unknown;
    if (!part.change) return Verdict::unknown;
    return free_ && files.changes_inside(*part.change) ? Verdict::by_mode : Verdict::changes_files;
  }

 private:
  bool is_permitted(const ShellCommand& command) const {
    return std::ranges::any_of(
        rules_.allow, [&](const std::string& rule) { return permits_part(rule, call_, command); });
  }

  bool may_read(const CommandPart& part) {
    if (part.command->words[0].is("git") && !git_is_harmless()) return false;
    return call_.files->reads_inside(*part.command, *part.reading);
  }

  bool git_is_harmless() {
    if (git_ == Git::not_looked_at) {
      const auto& cwd = call_.access.cwd;
      const bool harmless = !creates_repository_files(call_.line) &&
                            git_reads_safely(cwd.empty() ? call_.cwd : cwd, call_.folders);
      git_ = harmless ? Git::harmless : Git::dangerous;
    }
    return git_ == Git::harmless;
  }

  const Call& call_;
  const Rules& rules_;
  bool free_;
  enum class Git { not_looked_at, harmless, dangerous };
  Git git_ = Git::not_looked_at;
};

Decision command_denied(Verdict verdict, const std::string& text, Mode mode) {
  if (verdict == Verdict::changes_files) {
    return denied(
        Reason::none,
        fmt::format("'{}' would change files, which is not permitted{}.", text, why_not(mode)), "");
  }
  return denied(
      Reason::other,
      fmt::format("'{}' is not permitted, and this session cannot ask for permission.", text),
      "This command requires permission");
}

Grant grant_of(Verdict verdict, const ShellCommand& command) {
  if (verdict == Verdict::by_rule) return Grant::user;
  if (verdict == Verdict::by_mode || !command.outputs.empty()) return Grant::editing;
  return Grant::reading;
}

Decision decide_run(const Call& call, Mode mode, const Rules& rules) {
  if (mode == Mode::bypass) return allowed(Reason::mode, Grant::user);
  const auto& line = call.line;
  if (!line.understood || line.commands.empty() || runs_git_elsewhere(line)) {
    return command_denied(Verdict::unknown, call.access.command, mode);
  }
  LineJudge judge(call, mode, rules);
  bool all_by_rule = true;
  Grant grant = Grant::reading;
  for (const auto& part : call.parts) {
    const auto verdict = judge.judge(part);
    if (verdict == Verdict::changes_files || verdict == Verdict::unknown)
      return command_denied(verdict, part.command->text, mode);
    all_by_rule = all_by_rule && verdict == Verdict::by_rule;
    grant = std::max(grant, grant_of(verdict, *part.command));
  }
  if (!all_by_rule && call.files->follows_copy())
    return command_denied(Verdict::changes_files, call.access.command, mode);
  return allowed(all_by_rule ? Reason::rule : Reason::subcommand_results, grant);
}

/// A tool that does not state its access needs a rule or bypassPermissions.
Decision decide_unknown(const Call& call, Mode mode) {
  if (mode == Mode::bypass) return allowed(Reason::mode, Grant::user);
  return denied(
      Reason::other,
      fmt::format("'{}' is not permitted, and this session cannot ask for permission.", call.tool),
      "This tool requires permission");
}

Decision decide_question(const Call& call) {
  return denied(Reason::other,
                fmt::format("{} needs the user, and this session cannot ask.", call.tool),
                "This tool requires the user");
}

}  // namespace

Decision decide_by_mode(const Call& call, Mode mode, const Rules& rules) {
  switch (call.access.kind) {
    case Access::Kind::read: return decide_read(call, mode);
    case Access::Kind::write: return decide_write(call, mode);
    case Access::Kind::run: return decide_run(call, mode, rules);
    case Access::Kind::unknown: return decide_unknown(call, mode);
    case Access::Kind::question: return decide_question(call);
    case Access::Kind::session: break;
  }
  return allowed(mode == Mode::bypass ? Reason::mode : Reason::none,
                 mode == Mode::bypass ? Grant::user : Grant::reading);
}

}  // namespace ralph::permission

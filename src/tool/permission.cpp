#include "tool/permission.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tool/command_table.h"
#include "tool/permission_command.h"
#include "tool/permission_git.h"
#include "tool/permission_opaque.h"
#include "tool/permission_rule.h"
#include "tool/shell_words.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, Mode>, 7> kModes{
    {{"default", Mode::standard},
     {"manual", Mode::standard},
     {"acceptEdits", Mode::accept_edits},
     {"plan", Mode::plan},
     {"dontAsk", Mode::dont_ask},
     {"auto", Mode::automatic},
     {"bypassPermissions", Mode::bypass}}};

/// What a mode lets happen without a rule.
bool changes_inside_freely(Mode mode) {
  return mode == Mode::accept_edits || mode == Mode::automatic || mode == Mode::bypass;
}
bool reads_everywhere(Mode mode) {
  return mode == Mode::plan || mode == Mode::automatic || mode == Mode::bypass;
}

/// Words that start another command with their arguments; a rule that denies it means it there too.
constexpr std::array<std::string_view, 24> kCarriers{
    "sudo",    "doas",    "env",  "timeout", "nice",  "ionice", "nohup",  "time",
    "command", "builtin", "exec", "xargs",   "eval",  "setsid", "stdbuf", "if",
    "then",    "else",    "elif", "while",   "until", "do",     "!",      "{"};

constexpr std::size_t kMaxCarried = 64;  // arguments of one that may be the name of the other

struct Call {
  const Tool& tool;
  const json::Document& input;
  const Access& access;
  const Workspace& workspace;
  ShellLine line;  // of run
};

std::string joined(std::span<const ShellWord> words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

/// All that a rule against a part of a line should be held against: as written, with its quotes away, and behind words
/// that only start it.
std::vector<std::string> readings(const ShellCommand& command) {
  std::vector<std::string> found{command.text};
  std::span<const ShellWord> words = command.words;
  found.push_back(joined(words));
  if (words.empty()) return found;
  const auto& first = words.front().text;
  const auto slash = first.rfind('/');
  const auto name = slash == std::string::npos ? first : first.substr(slash + 1);
  if (slash != std::string::npos) found.push_back(joined(words).substr(slash + 1));
  if (std::ranges::find(kCarriers, name) != kCarriers.end()) {
    const auto last = std::min<std::size_t>(words.size(), kMaxCarried);
    for (std::size_t i = 1; i < last; ++i) found.push_back(joined(words.subspan(i)));
  }
  return found;
}

/// Pieces of a line that is not understood, cut wherever a command could begin.
std::vector<std::string> pieces(std::string_view line) {
  std::vector<std::string> found;
  while (!line.empty()) {
    const auto piece = line.substr(0, line.find_first_of(";|&\n(){}`"));
    if (const auto begin = piece.find_first_not_of(" \t$\"'"); begin != std::string_view::npos) {
      const auto end = piece.find_last_not_of(" \t");
      found.emplace_back(piece.substr(begin, end - begin + 1));
    }
    line.remove_prefix(std::min(line.size(), piece.size() + 1));
  }
  return found;
}

bool restrains_command(const Rule& rule, const Call& call) {
  const auto hit = [&](const std::string& text) { return matches_command(rule.pattern, text); };
  if (hit(call.access.command)) return true;
  for (const auto& command : call.line.commands) {
    if (std::ranges::any_of(readings(command), hit)) return true;
  }
  return !call.line.understood && std::ranges::any_of(pieces(call.access.command), hit);
}

bool is_path_rule(const Rule& rule, Access::Kind kind) {
  if (rule.tool == "Read") return kind == Access::Kind::read;
  return (rule.tool == "Edit" || rule.tool == "Write") && kind == Access::Kind::write;
}

/// Whether a reading command may read files its words do not name: by wildcards, variables, options, or below a folder.
bool reads_unnamed_files(const ShellCommand& command) {
  if (git_shows_contents(command)) return true;
  const auto known = reading_command(command);
  if (!known || !known->names_files) return false;
  const auto words = std::span(command.words);
  if (words[0].is("rg")) return true;
  const bool is_grep = words[0].is("grep");
  return std::ranges::any_of(words.subspan(1), [&](const ShellWord& word) {
    if (!word.literal) return true;
    if (!word.text.starts_with('-')) return false;
    if (word.text.starts_with("--")) {
      return word.text.find('=') != std::string::npos || (is_grep && word.text.starts_with("--r"));
    }
    return is_grep && word.text.find_first_of("rRdf") != std::string::npos;
  });
}

/// A rule about files, held against the words of a command.
bool restrains_files_of_command(const Rule& rule, const Call& call) {
  if (rule.pattern.empty() || (rule.tool != "Read" && rule.tool != "Edit" && rule.tool != "Write"))
    return false;
  const CommandFiles files(call.line, call.workspace);
  const auto hit = [&](const ShellWord& word) {
    return std::ranges::any_of(files.paths(word), [&](const fs::path& path) {
      return matches_path(rule.pattern, path, call.workspace.setup().root);
    });
  };
  return std::ranges::any_of(call.line.commands, [&](const ShellCommand& command) {
    if (std::ranges::any_of(command.outputs, hit)) return true;
    if (rule.tool == "Read" && reads_unnamed_files(command)) return true;
    if (rule.tool != "Read" && reading_command(command)) return false;
    return std::ranges::any_of(command.inputs, hit) || std::ranges::any_of(command.words, hit);
  });
}

bool matches_some_text(const Rule& rule, const json::Document& input) {
  return input.is_object() && std::ranges::any_of(input, [&](const json::Document& value) {
           return value.is_string() &&
                  matches_command(rule.pattern, value.get_ref<const std::string&>());
         });
}

/// Whether a rule that denies or asks is about this call, or a part of it.
bool restrains(const std::string& text, const Call& call) {
  const auto rule = parse_rule(text);
  const auto kind = call.access.kind;
  const bool named = names_tool(rule, call.tool.name());
  if (named && rule.covers_all()) return true;
  if (kind == Access::Kind::run) {
    return named ? restrains_command(rule, call) : restrains_files_of_command(rule, call);
  }
  if (kind == Access::Kind::nothing) return named && matches_some_text(rule, call.input);
  return (named || is_path_rule(rule, kind)) && !rule.pattern.empty() &&
         matches_path(rule.pattern, call.access.path, call.workspace.setup().root);
}

/// Whether an allow rule is about all of this call; of a command line: about every part, see decide_run.
bool permits(const std::string& text, const Call& call) {
  const auto rule = parse_rule(text);
  const auto kind = call.access.kind;
  const bool named = names_tool(rule, call.tool.name());
  if (named && rule.covers_all()) return true;
  if (kind == Access::Kind::run) return named && rule.pattern == call.access.command;
  if (kind == Access::Kind::nothing) return named && matches_some_text(rule, call.input);
  return (named || is_path_rule(rule, kind)) && !rule.pattern.empty() &&
         matches_path(rule.pattern, call.access.path, call.workspace.setup().root);
}

Decision allowed(std::string reason_type, Grant grant) {
  return {true, std::move(reason_type), {}, {}, grant};
}

Decision denied_by_rule(const Call& call, std::string_view rule, std::string_view how) {
  return {false, "rule",
          fmt::format("The permission rule {} {} this use of {}.", rule, how, call.tool.name()),
          fmt::format("Rule {}", rule), Grant::none};
}

/// A rule against some commands cannot be kept where commands are hidden.
std::optional<Decision> denied_as_hidden(const Call& call, const std::vector<std::string>& rules) {
  if (call.access.kind != Access::Kind::run) return std::nullopt;
  for (const auto& text : rules) {
    const auto rule = parse_rule(text);
    if (rule.covers_all() || !names_tool(rule, call.tool.name())) continue;
    const auto why = hidden_commands(call.line);
    if (why.empty()) return std::nullopt;
    return Decision{
        false, "rule",
        fmt::format(
            "The permission rule {} restrains {}, and whether it is about this command line "
            "cannot be told: {}. Write plain commands, one after the other.",
            text, call.tool.name(), why),
        fmt::format("Rule {}", text), Grant::none};
  }
  return std::nullopt;
}

Decision decide_read(const Call& call, Mode mode) {
  const auto& path = call.access.path;
  const auto& output = call.workspace.setup().output_folder;
  const auto relative = output.empty() ? fs::path("..") : path.lexically_relative(output);
  const bool own_output = !relative.empty() && *relative.begin() != "..";
  if (call.workspace.contains(path) || own_output || reads_everywhere(mode)) {
    return allowed("mode", mode == Mode::bypass ? Grant::user : Grant::reading);
  }
  return {false, "workingDir",
          fmt::format("Reading {} is not permitted: it is outside of the working folders of this "
                      "session, and nobody "
                      "can be asked.",
                      path.string()),
          "Path is outside of the working folders", Grant::none};
}

Decision decide_write(const Call& call, Mode mode) {
  const auto& path = call.access.path;
  const bool inside = is_surely_inside(path, call.workspace);
  if (mode == Mode::bypass) return allowed("mode", Grant::user);
  if (inside && changes_inside_freely(mode)) {
    if (!is_sensitive(path, call.workspace)) return allowed("mode", Grant::editing);
    return {false, "safetyCheck",
            fmt::format("Writing to {} needs an explicit permission rule: other programs take "
                        "commands from that file.",
                        path.string()),
            "Sensitive file", Grant::none};
  }
  return {false, inside ? "" : "workingDir",
          fmt::format("Writing to {} is not permitted in this session, and nobody can be asked.",
                      path.string()),
          inside ? "" : "Path is outside of the working folders", Grant::none};
}

/// How one command of a line came to be allowed; not: why.
enum class Part { by_rule, by_reading, by_mode, changes_files, unknown };

bool rule_permits_part(const Rules& rules, const Call& call, const ShellCommand& command) {
  return std::ranges::any_of(rules.allow, [&](const std::string& text) {
    const auto rule = parse_rule(text);
    return names_tool(rule, call.tool.name()) && matches_command(rule.pattern, command.text);
  });
}

Part judge_part(const Call& call, const CommandFiles& files, const ShellCommand& command, Mode mode,
                const Rules& rules) {
  const bool free = changes_inside_freely(mode);
  if (!command.outputs.empty() && !(free && files.outputs_inside(command)))
    return Part::changes_files;
  if (rule_permits_part(rules, call, command)) return Part::by_rule;
  if (reading_command(command)) {
    if (command.words[0].is("git") &&
        (makes_what_git_reads(call.line) || !git_only_looks(call.workspace.cwd()))) {
      return Part::unknown;
    }
    const bool anywhere = reads_everywhere(mode);
    return anywhere || files.reads_inside(command) ? Part::by_reading : Part::unknown;
  }
  if (file_command(command))
    return free && files.changes_inside(command) ? Part::by_mode : Part::changes_files;
  return Part::unknown;
}

bool changes_folder_and_runs_git(const ShellLine& line) {
  const auto runs = [&](std::string_view name) {
    return std::ranges::any_of(line.commands, [&](const ShellCommand& command) {
      return !command.words.empty() && command.words[0].is(name);
    });
  };
  return runs("cd") && runs("git");
}

Decision command_denied(Part part, const std::string& text) {
  if (part == Part::changes_files) {
    return {false, "",
            fmt::format("'{}' would change files, which is not permitted in this session, and "
                        "nobody can be asked.",
                        text),
            "", Grant::none};
  }
  return {false, "other",
          fmt::format("'{}' is not permitted in this session, and nobody can be asked.", text),
          "This command requires a permission", Grant::none};
}

/// What a part of a line needs. A rule of the user's frees a command that its own analysis would confine.
Grant grant_of(Part part, const ShellCommand& command) {
  if (part == Part::by_rule) return reading_command(command) ? Grant::reading : Grant::user;
  if (part == Part::by_mode || !command.outputs.empty()) return Grant::editing;
  return Grant::reading;
}

Decision decide_run(const Call& call, Mode mode, const Rules& rules) {
  if (mode == Mode::bypass) return allowed("mode", Grant::user);
  const auto& line = call.line;
  if (!line.understood || line.commands.empty() || changes_folder_and_runs_git(line)) {
    return command_denied(Part::unknown, call.access.command);
  }
  const CommandFiles files(line, call.workspace);
  bool all_by_rule = true;
  Grant grant = Grant::reading;
  for (const auto& command : line.commands) {
    const auto part = judge_part(call, files, command, mode, rules);
    if (part == Part::changes_files || part == Part::unknown)
      return command_denied(part, command.text);
    all_by_rule = all_by_rule && part == Part::by_rule;
    grant = std::max(grant, grant_of(part, command));
  }
  if (!all_by_rule && files.follows_copy(line))
    return command_denied(Part::changes_files, call.access.command);
  return allowed(all_by_rule ? "rule" : "subcommandResults", grant);
}

Decision decide_by_mode(const Call& call, Mode mode, const Rules& rules) {
  switch (call.access.kind) {
    case Access::Kind::read: return decide_read(call, mode);
    case Access::Kind::write: return decide_write(call, mode);
    case Access::Kind::run: return decide_run(call, mode, rules);
    case Access::Kind::nothing: break;
  }
  return allowed(mode == Mode::bypass ? "mode" : "",
                 mode == Mode::bypass ? Grant::user : Grant::reading);
}

}  // namespace

Result<Mode> parse_mode(std::string_view word) {
  for (const auto& [name, mode] : kModes) {
    if (name == word) return mode;
  }
  return fail(Code::usage, fmt::format("'{}' is not a permission mode", word),
              "acceptEdits, auto, bypassPermissions, default, dontAsk, manual or plan");
}

std::string_view to_string(Mode mode) {
  for (const auto& [name, known] : kModes) {
    if (known == mode) return name;
  }
  return "default";
}

std::string_view to_string(Grant grant) {
  switch (grant) {
    case Grant::none: return "none";
    case Grant::reading: return "reading";
    case Grant::editing: return "editing";
    case Grant::user: return "user";
  }
  return "none";
}

Decision decide(const Tool& tool, const json::Document& input, const Access& access, Mode mode,
                const Rules& rules, const Workspace& workspace) {
  const bool runs = access.kind == Access::Kind::run;
  const Call call{tool, input, access, workspace,
                  runs ? parse_shell_line(access.command) : ShellLine{}};
  for (const auto& rule : rules.deny) {
    if (restrains(rule, call)) return denied_by_rule(call, rule, "denies");
  }
  for (const auto& rule : rules.ask) {
    if (restrains(rule, call)) return denied_by_rule(call, rule, "asks about");
  }
  if (auto hidden = denied_as_hidden(call, rules.deny)) return *std::move(hidden);
  if (auto hidden = denied_as_hidden(call, rules.ask)) return *std::move(hidden);
  for (const auto& rule : rules.allow) {
    if (permits(rule, call)) return allowed("rule", Grant::user);
  }
  return decide_by_mode(call, mode, rules);
}

std::vector<std::string> unreadable_patterns(const Rules& rules) {
  std::vector<std::string> patterns;
  for (const auto* const list : {&rules.deny, &rules.ask}) {
    for (const auto& text : *list) {
      const auto rule = parse_rule(text);
      if (rule.tool == "Read" && !rule.pattern.empty()) patterns.push_back(rule.pattern);
    }
  }
  return patterns;
}

bool only_reads(std::string_view command) {
  const auto line = parse_shell_line(command);
  if (!line.understood || line.commands.empty() || changes_folder_and_runs_git(line)) return false;
  return std::ranges::all_of(line.commands, [](const ShellCommand& part) {
    const auto plain = [](const ShellWord& word) {
      return word.literal && !word.text.starts_with("/dev/");
    };
    return part.outputs.empty() && std::ranges::all_of(part.inputs, plain) &&
           reading_command(part).has_value();
  });
}

}  // namespace ralph::tool

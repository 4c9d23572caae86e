#include <algorithm>
#include <array>
#include <span>
#include <system_error>

#include <nlohmann/json.hpp>

#include "agent/permission/call_impl.h"
#include "agent/permission/git_arguments.h"
#include "agent/permission/read_only_git.h"
#include "agent/permission/rule.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

/// Options and subcommands of git that run commands, or settings that may be commands.
constexpr std::string_view kGitRunning =
    "-c --config-env --exec-path --upload-pack --receive-pack --exec -x -u --extcmd foreach run "
    "config filter-branch bisect submodule difftool mergetool";
constexpr std::size_t kMostNames = 4;  // possible file names in one word

std::string joined(Words words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

/// Adds the pieces of a text, split wherever a command could begin.
void add_pieces(std::string_view text, std::vector<std::string>& found) {
  while (!text.empty()) {
    const auto piece = text.substr(0, text.find_first_of(";|&\n(){}`\"'"));
    const auto command =
        trim_end(piece.substr(std::min(piece.size(), piece.find_first_not_of(" \t$"))), " \t");
    if (!command.empty()) found.emplace_back(command);
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
  }
}

/// Whether it is a git command that runs none of its arguments.
bool is_plain_git(Words words) {
  return words[0].is("git") && std::ranges::none_of(words, [](const ShellWord& word) {
           return has_word(kGitRunning, std::string_view(word.text).substr(0, word.text.find('=')));
         });
}

/// Collects the texts that deny rules are matched with: the command as written, without quotes, without the path of the
/// program; and its arguments, unless it is known to start no program.
CommandPart make_part(const ShellCommand& command) {
  CommandPart part{&command, reading_command(command), file_command(command)};
  Words words = command.words;
  words = without_keywords(words);
  const auto text = joined(words);
  part.texts = {command.text, text};
  if (!words.empty()) {
    const auto slash = words.front().text.rfind('/');
    if (slash != std::string::npos) part.texts.push_back(text.substr(slash + 1));
    const bool git = part.texts.back() == "git" || part.texts.back().starts_with("git ");
    if (git) {  // "git -C x push" is "git push" to a rule
      const auto rest = joined(without_git_options(words.subspan(1)));
      part.texts.push_back(rest.empty() ? "git" : "git " + rest);
    }
  }
  if (part.reading || part.change) return part;
  for (const auto& assignment : command.assignments) part.embedded.push_back(assignment);
  if (!words.empty() && is_plain_git(words)) return part;
  part.embedded.push_back(text);
  add_pieces(text, part.embedded);
  for (const auto& given : command.here_strings) part.embedded.push_back(given.text);
  return part;
}

/// The text of a command up to the first word that the shell expands; nullopt: none is expanded.
std::optional<std::string> start_of(std::string_view name, Words arguments) {
  const auto open = std::ranges::find(arguments, false, &ShellWord::literal);
  if (open == arguments.end()) return std::nullopt;
  const auto before = static_cast<std::size_t>(open - arguments.begin());
  auto text = std::string(name) + ' ';
  if (before > 0) text += joined(arguments.first(before)) + ' ';
  return text;
}

bool restricts_command(const Rule& rule, const Call& call) {
  const auto whole = [&](const std::string& text) { return matches_command(rule.pattern, text); };
  const auto within = [&](const std::string& text) {
    return matches_command_within(rule.pattern, text);
  };
  if (whole(call.access.command)) return true;
  for (const auto& part : call.parts) {
    if (std::ranges::any_of(part.texts, whole) || std::ranges::any_of(part.embedded, within))
      return true;
  }
  if (call.line.understood) return false;
  std::vector<std::string> pieces;
  add_pieces(call.access.command, pieces);
  return std::ranges::any_of(pieces, within);
}

/// The results of Edit, and of Write for an existing file, contain the content of the file.
bool shows_contents(const Call& call) {
  std::error_code error;
  return call.access.kind == Access::Kind::write &&
         (call.tool != "Write" || fs::exists(fs::symlink_status(call.access.path, error)));
}

bool is_path_rule(const Rule& rule, Access::Kind kind) {
  switch (rule.file_use()) {
    case FileUse::read: return kind == Access::Kind::read;
    case FileUse::change: return kind == Access::Kind::write;
    case FileUse::none: break;
  }
  return false;
}

/// The possible file names in a word: "name", "--file=name", "-fname", "@name", "host:name".
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> found{text};
  if (text.starts_with('-') && !text.starts_with("--") && text.size() > 2)
    found.push_back(text.substr(2));
  for (auto at = text.find_first_of("=@:,"); at != text.npos && found.size() < kMostNames;
       at = text.find_first_of("=@:,", at + 1)) {
    found.push_back(text.substr(at + 1));
  }
  return found;
}

/// Whether a path is in the object store of a repository, which contains all versions of all files.
bool is_git_object(const fs::path& path) {
  fs::path before;
  bool in_git = false;
  std::error_code error;
  for (const auto& part : path) {
    if (part == "objects" && (in_git || fs::exists(before / "HEAD", error))) return true;
    in_git = in_git || part == ".git";
    before /= part;
  }
  return false;
}

/// Matches a rule about files with the files that a command names.
class FileRule {
 public:
  FileRule(const Rule& rule, const Call& call)
      : reads_(rule.file_use() == FileUse::read),
        call_(call),
        patterns_(restricting_patterns(rule.pattern, call.folders.root)) {}

  bool restricts(const CommandPart& part) const {
    const auto hit = [&](const ShellWord& word) { return matches(word.text); };
    const auto& command = *part.command;
    if (std::ranges::any_of(command.outputs, hit)) return true;
    if (reads_ && git_shows_contents(command)) return true;
    if (part.reading) return reads_ && restricts_reading(command, *part.reading);
    if (part.change && restricts_change(*part.change)) return true;
    if (std::ranges::any_of(command.inputs, hit)) return true;
    return std::ranges::any_of(command.words, [&](const ShellWord& word) {
      return std::ranges::any_of(names_in(word.text),
                                 [&](std::string_view name) { return matches(name); });
    });
  }

 private:
  bool is_meant(const fs::path& path) const {
    return matches_path(patterns_, path.native()) || (reads_ && is_git_object(path));
  }
  bool matches(std::string_view name) const {
    return call_.files->any_path(name, [&](const fs::path& path) { return is_meant(path); });
  }
  bool matches_below(std::string_view name) const {
    return call_.files->any_below(name, [&](const fs::path& path) { return is_meant(path); });
  }

  /// Wildcards and recursive searches read files that the line does not name.
  bool restricts_reading(const ShellCommand& command, const ReadingCommand& reading) const {
    if (reading.contents_below && reading.files.empty()) return true;
    const auto hit = [&](const ShellWord& word) {
      return !word.literal || matches(word.text) ||
             (reading.contents_below && call_.files->is_folder(word.text));
    };
    return std::ranges::any_of(reading.files, hit) || std::ranges::any_of(command.inputs, hit);
  }

  /// Checks the content of removed, copied or moved directories, and the paths it gets.
  bool restricts_change(const FileCommand& change) const {
    const bool gone = change.kind == FileCommand::Kind::remove && reads_;
    for (const auto& file : change.files) {
      if (!gone && matches_below(file.text)) return true;
      if (!change.target) continue;
      const std::string name(base_name(trim_end(file.text, "/")));
      if (matches(change.target->text + "/" + name) || makes_below(file.text, *change.target, name))
        return true;
    }
    return false;
  }

  bool makes_below(std::string_view folder, const ShellWord& target,
                   const std::string& name) const {
    return call_.files->any_below(folder, [&](const fs::path& entry) {
      return call_.files->any_path(folder, [&](const fs::path& source) {
        const auto rest = entry.lexically_relative(source);
        if (rest.empty() || *rest.begin() == "..") return false;
        return matches((fs::path(target.text) / rest).string()) ||
               matches((fs::path(target.text) / name / rest).string());
      });
    });
  }

  bool reads_;  // the rule is about reading
  const Call& call_;
  std::vector<AnchoredPattern> patterns_;
};

bool restricts_files_of_command(const Rule& rule, const Call& call) {
  if (rule.pattern.empty() || rule.file_use() == FileUse::none) return false;
  const FileRule files(rule, call);
  return std::ranges::any_of(call.parts,
                             [&](const CommandPart& part) { return files.restricts(part); });
}

bool matches_some_text(const Rule& rule, const json::Document& input) {
  return input.is_object() && std::ranges::any_of(input, [&](const json::Document& value) {
           return value.is_string() &&
                  matches_command(rule.pattern, value.get_ref<const std::string&>());
         });
}

/// Also checks the path as given in the call, which may be a link.
bool restricts_path(const Rule& rule, const Call& call) {
  const auto patterns = restricting_patterns(rule.pattern, call.folders.root);
  if (matches_path(patterns, call.access.path.native())) return true;
  if (rule.file_use() == FileUse::read && is_git_object(call.access.path)) return true;
  for (const auto* const key : {"file_path", "path", "notebook_path"}) {
    const auto* const named = json::find_text(call.input, key);
    if (named == nullptr) continue;
    const auto path = call.cwd / *named;
    if (matches_path(patterns, path.lexically_normal().native())) return true;
  }
  return false;
}

constexpr std::string_view kDomain = "domain:";

/// What the call names. Names of hosts have no case.
bool matches_named(const Rule& rule, std::string_view named) {
  if (named.empty()) return false;
  return named.starts_with(kDomain) ? matches_text(to_lower(rule.pattern), named)
                                    : matches_command(rule.pattern, named);
}

/// A host with and without "www." is often one site, and then one redirects to the other.
bool restricts_named(const Rule& rule, const std::string& named) {
  if (matches_named(rule, named)) return true;
  constexpr std::string_view kWww = "domain:www.";
  if (!named.starts_with(kDomain)) return false;
  const auto other = named.starts_with(kWww) ? std::string(kDomain) + named.substr(kWww.size())
                                             : std::string(kWww) + named.substr(kDomain.size());
  return matches_named(rule, other);
}

/// A call that touches no file: by any text of its input, or by what it names without saying so.
bool restricts_texts(const Rule& rule, const Call& call) {
  return matches_some_text(rule, call.input) || restricts_named(rule, call.access.command);
}

/// By what the call names if it names something: the model writes the other texts.
bool permits_texts(const Rule& rule, const Call& call) {
  const auto& named = call.access.command;
  return named.empty() ? matches_some_text(rule, call.input) : matches_named(rule, named);
}

bool touches_no_file(Access::Kind kind) {
  return kind == Access::Kind::session || kind == Access::Kind::unknown;
}

}  // namespace

Call::Call(const ToolCall& call)
    : tool(call.tool),
      input(call.input),
      access(call.access),
      folders(call.folders),
      cwd(call.cwd) {
  if (access.kind != Access::Kind::run) return;
  line = parse_shell_line(access.command);
  for (const auto& command : line.commands) parts.push_back(make_part(command));
  files.emplace(line, folders, access.cwd.empty() ? cwd : access.cwd, call.tasks_running);
}

bool may_restrict(const Rule& rule, const Call& call) {
  std::string_view start = rule.pattern;
  if (start.ends_with(":*")) start.remove_suffix(2);
  start = start.substr(0, start.find('*'));
  const auto fits = [&](const std::optional<std::string>& text) {
    return text && (text->starts_with(start) || start.starts_with(*text));
  };
  return std::ranges::any_of(call.parts, [&](const CommandPart& part) {
    const auto words = without_keywords(part.command->words);
    if (words.empty() || (start.empty() && (part.reading || part.change))) return false;
    const auto arguments = words.subspan(1);
    const std::string_view path = words.front().text;
    const auto name = base_name(path);
    return fits(start_of(path, arguments)) || fits(start_of(name, arguments)) ||
           (name == "git" && fits(start_of(name, without_git_options(arguments))));
  });
}

bool restricts(const std::string& text, const Call& call) {
  const auto rule = parse_rule(text);
  const auto kind = call.access.kind;
  const bool named = names_tool(rule, call.tool);
  if (named && rule.covers_all()) return true;
  if (kind == Access::Kind::run) {
    return named ? restricts_command(rule, call) : restricts_files_of_command(rule, call);
  }
  if (touches_no_file(kind)) return named && restricts_texts(rule, call);
  const bool about_files = named || is_path_rule(rule, kind) ||
                           (rule.file_use() == FileUse::read && shows_contents(call));
  return about_files && !rule.pattern.empty() && restricts_path(rule, call);
}

bool permits(const std::string& text, const Call& call) {
  const auto rule = parse_rule(text);
  const auto kind = call.access.kind;
  const bool named = names_tool(rule, call.tool);
  if (named && rule.covers_all()) return true;
  if (kind == Access::Kind::run) return named && rule.pattern == call.access.command;
  if (touches_no_file(kind)) return named && permits_texts(rule, call);
  return (named || is_path_rule(rule, kind)) && !rule.pattern.empty() &&
         matches_path(rule.pattern, call.access.path, call.folders.root);
}

bool permits_part(const std::string& text, const Call& call, const ShellCommand& command) {
  const auto rule = parse_rule(text);
  return names_tool(rule, call.tool) && matches_command(rule.pattern, command.text);
}

}  // namespace ralph::permission

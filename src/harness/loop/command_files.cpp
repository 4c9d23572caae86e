#include "harness/loop/command_files.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/base/path.h"
#include "core/base/text.h"
#include "harness/loop/command_programs.h"
#include "harness/loop/file_identity.h"
#include "harness/loop/judged_output.h"
#include "system/process/environment.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNested = 4;  // sh -c "sh -c …"
constexpr int kMostPieces = 32;
constexpr std::size_t kMostFolders = 16;
constexpr std::size_t kLongestExcerpt = 24;

/// Commands of the shell that run no file, or whose files are looked at by name.
constexpr std::string_view kBuiltins =
    "cd pushd popd eval trap source . : true false test [ [[ echo printf export set unset exit "
    "return "
    "read wait shift umask ulimit alias type hash local readonly declare kill jobs break continue "
    "for "
    "case esac function pwd in select";
/// Programs that run none of the files they are given.
constexpr std::string_view kReadsOnly =
    "grep cat head tail diff cmp chmod cp mv ls rm stat wc sed sort file touch git tar md5sum "
    "sha256sum "
    "rg jq cut tr find";
/// They run programs of `node_modules/.bin` by name.
constexpr std::string_view kNodeRunners = "npx npm yarn pnpm bunx bun";

enum class Role { script, input };

class Finder {
 public:
  Finder(const fs::path& workspace, const std::vector<std::string>& environment)
      : environment_(environment) {
    std::error_code error;
    workspace_ = fs::canonical(workspace, error);
    if (error) workspace_ = workspace;
    folders_.push_back(workspace_);
  }

  void note_readers(std::string_view text) { judged_.add(text); }

  void look_at_text(std::string_view text, Role role = Role::script, int depth = 0) {
    if (depth > kMostNested) return add_unknown(text);
    for (int pieces = 0; pieces < kMostPieces; ++pieces) {
      const auto line = parse_shell_line(text);
      const auto judged = judged_.of(line.commands);
      for (std::size_t i = 0; i < line.commands.size(); ++i) {
        look_at(line.commands[i], judged[i] ? Role::input : role, depth);
      }
      if (line.understood) return;
      text.remove_prefix(line.parsed);
      add_unknown(text);
      // After the next known command the rest may be understood again.
      const auto end =
          std::min(text.find_first_of("\n;&|", text.find_first_not_of("\n;&|")), text.size());
      look_at_piece(text.substr(0, end));
      text.remove_prefix(end);
      while (!text.empty() && std::string_view("\n;&|").contains(text.front())) {
        text.remove_prefix(1);
      }
    }
    look_at_piece(text);
  }

  void add_program(const std::string& path) {
    if (path.starts_with('/')) add_file(path, Role::script);
  }

  /// The next command begins in the workspace.
  void leave() {
    folders_.resize(1);
    assigned_.clear();
  }

  CommandFiles result() && {
    for (const auto& script : scripts_) inputs_.erase(script);
    const auto list = [](const std::set<std::string>& set) {
      return std::vector<std::string>(set.begin(), set.end());
    };
    return {list(programs_), list(scripts_), list(inputs_),
            list(outside_),  list(readers_), list(unknown_)};
  }

 private:
  void add_unknown(std::string_view text) {
    text = trim(text, " \n");
    text = text.substr(0, text.find('\n'));
    const bool cut = text.size() > kLongestExcerpt;
    unknown_.insert(std::string(text.substr(0, kLongestExcerpt)) + (cut ? "…" : ""));
  }

  std::optional<std::string> variable(std::string_view name) const {
    if (name == "PWD") return ".";
    if (assigned_.contains(name)) return std::nullopt;
    const auto value = process::variable(environment_, name);
    return value ? std::optional(std::string(*value)) : std::nullopt;
  }

  /// The text that the shell makes of a word; nullopt: not known.
  std::optional<std::string> expand(const ShellWord& word) const {
    if (word.literal) return word.text;
    if (word.pattern) return std::nullopt;
    auto text = word.text;
    const auto home = variable("HOME");
    if (home && (text == "~" || text.starts_with("~/"))) text.replace(0, 1, *home);
    if (text.starts_with("$(pwd)")) text.replace(0, 6, ".");
    auto names = word.variables;
    std::ranges::sort(names, std::greater(), &std::string::size);  // "$AB" before "$A"
    for (const auto& name : names) {
      const auto value = variable(name);
      for (const auto& what : {"${" + name + "}", "$" + name}) {
        const auto at = text.find(what);
        if (value && at != text.npos) text.replace(at, what.size(), *value);
      }
    }
    return text.find_first_of("$`*?[~") == text.npos ? std::optional(text) : std::nullopt;
  }

  std::vector<fs::path> places_of(const std::string& text) const {
    if (text.empty()) return {};
    if (text.front() == '/') return {text};
    std::vector<fs::path> places;
    for (const auto& folder : folders_) places.push_back(folder / text);
    return places;
  }

  void add(const fs::path& path, Role role) {
    const bool inside = is_below(path, workspace_) && path != workspace_;
    const auto name = inside ? path.lexically_relative(workspace_).native() : std::string();
    if (name.starts_with(".ralph/")) return;  // watched as a whole
    const bool in_git = ("/" + name).contains("/.git/");
    if (inside && !in_git) {
      (role == Role::script ? scripts_ : inputs_).insert(name);
    } else if (role == Role::script && is_writable(path)) {
      outside_.insert(path.native());
    }
  }

  /// Whether there is such a file. A program that was compiled is not a script.
  bool add_file(const fs::path& path, Role role) {
    const auto trail = resolve_links(path);
    if (trail.file.empty()) return false;
    const bool compiled = role == Role::script && is_elf_file(trail.file);
    if (compiled && is_below(trail.file, workspace_)) return true;
    for (const auto& link : trail.links) add(link, role);
    if (!compiled) add(trail.file, role);
    return true;
  }
  bool add_named(const std::string& text, Role role) {
    bool found = false;
    for (const auto& place : places_of(text)) found = add_file(place, role) || found;
    return found;
  }

  /// What cannot be followed may run every script that it names.
  void add_executable(const std::string& text, Role role) {
    for (const auto& place : places_of(text)) {
      if (is_executable_script(place)) add_file(place, role);
    }
  }
  void look_at_piece(std::string_view text) {
    constexpr std::string_view kEnds = " \t\n;|&()<>`'\"{}=$";
    const bool captured = text.contains('`') || text.contains("$(") || text.contains('|');
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find_first_of(kEnds, at), text.size());
      const std::string word(text.substr(at, end - at));
      add_named(word, Role::input);
      if (!captured) add_executable(word, Role::script);
      at = end + 1;
    }
  }

  void enter(const ShellWord& word) {
    const auto text = expand(word);
    if (!text || folders_.size() >= kMostFolders) return add_unknown(word.text);
    std::set<fs::path> more;
    for (const auto& place : places_of(*text)) {
      std::error_code error;
      for (const auto& folder : {place.lexically_normal(), fs::canonical(place, error)}) {
        if (fs::is_directory(folder, error)) more.insert(folder);
      }
    }
    for (const auto& folder : more) {
      if (std::ranges::find(folders_, folder) == folders_.end()) folders_.push_back(folder);
    }
  }

  void assign(std::string_view text) {
    const auto name = text.substr(0, text.find_first_of("+="));
    assigned_.insert(std::string(name));
    if (name == "PATH") add_unknown(text);
  }

  void look_at(const ShellCommand& command, Role role, int depth) {
    for (const auto& text : command.assignments) assign(text);
    for (const auto& word : command.inputs) {
      if (const auto text = expand(word)) add_named(*text, Role::input);
    }
    const auto found = unwrap(command.words);
    for (const auto& text : found.assignments) assign(text);
    for (const auto& folder : found.folders) enter(folder);
    for (const auto& text : found.texts) look_at_text(text, role, depth + 1);
    run(found.words, role, depth, command);
  }

  void run(ShellWords words, Role role, int depth, const ShellCommand& command) {
    if (words.empty()) return;
    const auto program = expand(words.front());
    if (!program) {
      add_unknown(words.front().text);
      return scan(words.subspan(1), role);
    }
    const auto name = fs::path(*program).filename().native();
    const auto arguments = words.subspan(1);
    if (program->contains('/')) {
      add_named(*program, role);
    } else if (!has_word(kBuiltins, *program)) {
      programs_.insert(*program);
      if (!process::find_program(*program, environment_, workspace_) &&
          files_read_by(name).empty()) {
        add_unknown(*program);
        scan(arguments, role);
      }
    }
    if (look_at_builtin(name, arguments, role, depth)) return;
    std::set<fs::path> folders(folders_.begin(), folders_.end());
    std::vector<std::string> names{name};
    if (const auto* found = interpreter_of(name)) {
      interpret(*found, arguments, role, depth, command, names, folders);
    } else {
      for (const auto& word : arguments) add_input(word, folders);
      if (!has_word(kReadsOnly, name) && !has_word(kBuiltins, name)) ask_about(name, arguments);
    }
    if (has_word(kNodeRunners, name)) {
      for (const auto& word : arguments) add_named("node_modules/.bin/" + word.text, role);
    }
    if (name == "find") look_at_exec(arguments, role, depth, command);
    for (const auto& each : names) add_read_files(each, folders);
  }

  /// It may run the scripts that it is given, or only look at them.
  void ask_about(const std::string& program, ShellWords words) {
    for (const auto& word : words) {
      const auto text = expand(word);
      if (!text || !text->contains('/')) continue;
      if (std::ranges::any_of(places_of(*text), is_executable_script)) return add_unknown(program);
    }
  }

  void scan(ShellWords words, Role role) {
    for (const auto& word : words) {
      if (const auto text = expand(word)) add_executable(*text, role);
    }
  }

  /// True: nothing else is to be looked at.
  bool look_at_builtin(std::string_view name, ShellWords words, Role role, int depth) {
    if (name == "cd" || name == "pushd") {
      take_options(words, {});
      if (!words.empty()) enter(words.front());
    } else if (name == "eval" || name == "trap") {
      std::string text;
      for (const auto& word : words) {
        text += word.text + " ";
        if (name == "trap") break;
      }
      look_at_text(text, role, depth + 1);
    } else if (has_word("export declare local readonly read for", name)) {
      for (const auto& word : words) assign(word.text);
    } else {
      return false;
    }
    return true;
  }

  void interpret(const Interpreter& found, ShellWords words, Role role, int depth,
                 const ShellCommand& command, std::vector<std::string>& names,
                 std::set<fs::path>& folders) {
    const bool shell = found.names.starts_with("sh ");
    bool script = found.operand, shell_code = false;
    if (shell && words.empty() && command.inputs.empty() && command.here_strings.empty()) {
      add_unknown(command.text);  // it reads commands from a pipe
    }
    for (const auto& [option, value] : take_options(words, found.values)) {
      if (shell && option == "-c") shell_code = true;
      if (has_word(found.code, option)) script = false;
      if (has_word(found.loads, option)) add_named(value.text, role);
      if (option == "-m") add_module(value.text, names);
    }
    if (shell_code && !words.empty()) {
      look_at_text(words.front().text, role, depth + 1);
      words = words.subspan(1);
      script = false;
    }
    for (const auto& word : words) {
      const auto text = expand(word);
      if (script && !text) add_unknown(word.text);
      if (script && text && add_named(*text, role)) {
        script = false;
      } else {
        add_input(word, folders);
      }
    }
    if (!script) return;
    for (const auto& word : command.inputs) add_named(word.text, role);
    for (const auto& word : command.here_strings) {
      if (shell) look_at_text(word.text, role, depth + 1);
    }
  }

  /// "python3 -m tests.run"
  void add_module(std::string name, std::vector<std::string>& names) {
    names.push_back(name);
    readers_.insert(name);
    std::ranges::replace(name, '.', '/');
    for (const auto* end : {".py", "/__main__.py"}) add_named(name + end, Role::input);
  }

  /// "find … -exec COMMAND ;"
  void look_at_exec(ShellWords words, Role role, int depth, const ShellCommand& command) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!has_word("-exec -execdir -ok -okdir", words[i].text)) continue;
      const auto begin = ++i;
      while (i < words.size() && words[i].text != ";" && words[i].text != "+") ++i;
      run(unwrap(words.subspan(begin, i - begin)).words, role, depth, command);
    }
  }

  /// An argument may be a file or a directory, also as the value of an option in the same word.
  void add_input(const ShellWord& word, std::set<fs::path>& folders) {
    const auto text = expand(word);
    if (!text) return;
    std::vector<std::string> texts{*text};
    if (const auto equals = text->find('='); equals != text->npos) {
      texts.push_back(text->substr(equals + 1));
    } else if (text->starts_with('-') && !text->starts_with("--") && text->size() > 2) {
      texts.push_back(text->substr(2));
    }
    for (const auto& each : texts) {
      for (const auto& place : places_of(each)) {
        std::error_code error;
        if (!add_file(place, Role::input) && fs::is_directory(place, error)) folders.insert(place);
      }
    }
  }

  void add_read_files(const std::string& program, const std::set<fs::path>& folders) {
    for (const auto file : files_read_by(program)) {
      readers_.insert(program);
      for (const auto& folder : folders) add_file(folder / file, Role::input);
    }
  }

  fs::path workspace_;
  const std::vector<std::string>& environment_;
  std::vector<fs::path> folders_;  // where a command may run
  JudgedOutput judged_;
  std::set<std::string, std::less<>> assigned_;
  std::set<std::string> programs_, scripts_, inputs_, outside_, readers_, unknown_;
};

}  // namespace

CommandFiles files_of(const std::vector<std::string>& commands, const fs::path& workspace,
                      const std::vector<std::string>& environment) {
  Finder finder(workspace, environment);
  for (const auto& command : commands) finder.note_readers(command);
  for (const auto& command : commands) {
    finder.look_at_text(command);
    finder.leave();
  }
  return std::move(finder).result();
}

CommandFiles files_of_programs(const std::vector<std::string>& paths, const fs::path& workspace) {
  const std::vector<std::string> environment;
  Finder finder(workspace, environment);
  for (const auto& path : paths) finder.add_program(path);
  return std::move(finder).result();
}

}  // namespace ralph::loop

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/docs.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/nearest.h"
#include "harness/backend/backend.h"

namespace ralph::cli {
namespace {

/// What a shell offers as the value of an option.
enum class Offer { nothing, words, files, folders, refs };

/// Lists the values of 'ralph undo --restore'.
constexpr std::string_view kListRefs =
    "git for-each-ref --format=\"%(refname)\" refs/ralph 2>/dev/null";

/// Known values of an option; others may be possible.
std::string_view usual_values(const Option& option) {
  if (option.names.ends_with("--backend")) {
    static const std::string kNames = [] {
      std::string names = "auto";
      for (const auto* backend : backend::backends()) names.append("|").append(backend->name);
      return names;
    }();
    return kNames;
  }
  return option.choices;
}

/// Values of the first argument of a command; empty: a file.
std::string first_words(std::string_view command) {
  if (command == "config") return "show path accept schema";
  if (command == "auth") return "login logout status";
  if (command == "docs") return fmt::format("{}", fmt::join(document_names(), " "));
  return command == "completion" ? "bash zsh fish" : "";
}

Offer offer_of(const Option& option) {
  if (!usual_values(option).empty()) return Offer::words;
  if (option.value == "FILE") return Offer::files;
  if (option.value == "REF") return Offer::refs;
  return option.value == "DIR" ? Offer::folders : Offer::nothing;
}

bool takes_next_word(const Option& option) { return takes_of(option) == options::Takes::value; }

/// "a|b" as "a b".
std::string spaced(std::string_view choices) {
  std::string words(choices);
  std::ranges::replace(words, '|', ' ');
  return words;
}

/// Inside single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> command_words() {
  std::vector<std::string> names;
  for (const auto* command : commands()) names.emplace_back(command->name);
  names.emplace_back("help");
  return names;
}

std::vector<Option> all_options(const Command& command) {
  auto options = options_of(command);
  options.push_back(kHelpOption);
  return options;
}

// --- bash ---

std::string bash_values(const Command& command, const Option& option) {
  std::vector<std::string> patterns;
  for (const auto& name : names_of(option)) {
    if (takes_next_word(option)) patterns.push_back(fmt::format("'{} {}'", command.name, name));
    if (name.starts_with("--")) patterns.push_back(fmt::format("'{} {}='", command.name, name));
  }
  const auto reply = [&]() -> std::string {
    switch (offer_of(option)) {
      case Offer::words:
        return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))",
                           spaced(usual_values(option)));
      case Offer::files: return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
      case Offer::folders: return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
      case Offer::refs:
        return fmt::format("COMPREPLY=($(compgen -W \"$({})\" -- \"$cur\"))", kListRefs);
      case Offer::nothing: return "COMPREPLY=()";
    }
    return "";
  }();
  return fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), reply);
}

std::string bash_script() {
  std::string values, options;
  for (const auto* command : commands()) {
    std::vector<std::string_view> names;
    for (const auto& option : all_options(*command)) {
      for (const auto& name : names_of(option)) names.push_back(name);
      if (!option.value.empty()) values += bash_values(*command, option);
    }
    options += fmt::format("    {}) words='{}' first='{}' ;;\n", command->name,
                           fmt::join(names, " "), first_words(command->name));
  }
  return fmt::format(R"(# bash completion of ralph; made by: ralph completion bash
# Completes the value of an option; fails if there is none to complete.
_ralph_value() {{
  case "$command $prev" in
    'help '*) COMPREPLY=($(compgen -W '{0}' -- "$cur")) ;;
{1}    *) return 1 ;;
  esac
  return 0
}}
_ralph() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local words= first= option=
  COMPREPLY=()
  # '--option=VALUE' comes as three words, or as one if COMP_WORDBREAKS has no '='.
  if [ "$cur" = = ]; then
    cur= prev=$prev=
  elif [[ $cur == --*=* ]]; then
    option=${{cur%%=*}}= prev=$option cur=${{cur#*=}}
  elif [ "$prev" = = ] && [ "$COMP_CWORD" -gt 3 ]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}=
  fi
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{0} --help --version' -- "$cur"))
    return
  fi
  if _ralph_value; then
    [ -z "$option" ] || COMPREPLY=("${{COMPREPLY[@]/#/$option}}")
    return
  fi
  [ -z "$option" ] || return
  case $command in
{2}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [ -n "$first" ]; then
    COMPREPLY=($(compgen -W "$first" -- "$cur"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -F _ralph ralph
)",
                     fmt::join(command_words(), " "), values, options);
}

// --- zsh ---

/// In the brackets of an _arguments specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const Option& option) {
  const auto names = names_of(option);
  std::string value;
  if (takes_next_word(option)) {
    const auto offer = offer_of(option);
    value = fmt::format(":{}:{}", zsh_text(option.value),
                        offer == Offer::words   ? fmt::format("({})", spaced(usual_values(option)))
                        : offer == Offer::files ? "_files"
                        : offer == Offer::folders ? "_files -/"
                        : offer == Offer::refs    ? fmt::format("($({}))", kListRefs)
                                                  : " ");
  }
  const auto rest = fmt::format("[{}]{}", zsh_text(option.help), value);
  if (names.size() == 1) return shell_quoted(fmt::format("*{}{}", names.front(), rest));
  return fmt::format("'*'{{{},{}}}{}", names[0], names[1], shell_quoted(rest));
}

std::string zsh_script() {
  std::string list, cases;
  for (const auto* command : commands()) {
    list += fmt::format("    {}\n",
                        shell_quoted(fmt::format("{}:{}", command->name, command->summary)));
    std::string options;
    for (const auto& option : all_options(*command))
      options += " \\\n        " + zsh_option(option);
    cases +=
        fmt::format("    {})\n      _arguments{} \\\n        '*:{}' ;;\n", command->name, options,
                    first_words(command->name).empty()
                        ? "file:_files"
                        : fmt::format("action:({})", first_words(command->name)));
  }
  return fmt::format(R"(#compdef ralph
# zsh completion of ralph; made by: ralph completion zsh
_ralph() {{
  local -a commands
  commands=(
{}    'help:help about a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe command commands ;;
{}  esac
}}
if [ "$funcstack[1]" = _ralph ]; then _ralph "$@"; else compdef _ralph ralph; fi
)",
                     list, cases);
}

// --- fish ---

std::string fish_option(const Command& command, const Option& option) {
  auto line = fmt::format("complete -c ralph -n '__fish_seen_subcommand_from {}'", command.name);
  for (const auto& name : names_of(option)) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  if (takes_next_word(option)) {
    switch (offer_of(option)) {
      case Offer::words: line += fmt::format(" -x -a '{}'", spaced(usual_values(option))); break;
      case Offer::files: line += " -r -F"; break;
      case Offer::folders: line += " -x -a '(__fish_complete_directories)'"; break;
      case Offer::refs: line += fmt::format(" -x -a '({})'", kListRefs); break;
      case Offer::nothing: line += " -x"; break;
    }
  }
  std::string help;
  for (const char c : option.help)
    help += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return fmt::format("{} -d '{}'\n", line, help);
}

std::string fish_script() {
  std::string text = "# fish completion of ralph; made by: ralph completion fish\n";
  for (const auto* command : commands()) {
    std::string summary;
    for (const char c : command->summary) {
      summary += c == '\'' ? std::string("\\'") : std::string{c};
    }
    text += fmt::format("complete -c ralph -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command->name, summary);
  }
  text += "complete -c ralph -n __fish_use_subcommand -f -a help -d 'help about a command'\n";
  text += fmt::format("complete -c ralph -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                      fmt::join(command_words(), " "));
  for (const auto* command : commands()) {
    if (const auto words = first_words(command->name); !words.empty()) {
      text += fmt::format("complete -c ralph -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                          command->name, words);
    }
    for (const auto& option : all_options(*command)) text += fish_option(*command, option);
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr Shell kShells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

int completion_command(const Arguments& arguments, StdOutput& output) {
  const auto wanted = arguments.positional(0);
  const auto* const found = std::ranges::find(kShells, wanted, &Shell::name);
  if (found == std::end(kShells)) {
    return report_usage(
        {Code::usage,
         fmt::format("no completion for '{}'; supported shells: bash, zsh, fish", wanted),
         {}},
        &kCompletionCommand, output);
  }
  output.out(found->script());
  return 0;
}

constexpr Positional kCompletionPositionals[] = {{"SHELL", "bash, zsh or fish"}};
constexpr Example kCompletionExamples[] = {
    {"source <(ralph completion bash)", "enable it in this shell"},
    {"ralph completion zsh >~/.zfunc/_ralph", "with fpath+=~/.zfunc before compinit"},
    {"ralph completion fish >~/.config/fish/completions/ralph.fish", "enable it in fish"},
};

}  // namespace

constinit const Command kCompletionCommand{
    "completion",
    "print a completion script for bash, zsh or fish",
    "Prints a script that completes ralph's commands, options and their values. 'make install' "
    "and\n"
    "the Debian package install it where the shells look for it.",
    kCompletionPositionals,
    {},
    kCompletionExamples,
    completion_command,
};

}  // namespace ralph::cli

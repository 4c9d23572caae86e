#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/completion_impl.h"
#include "cli/docs.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/nearest.h"
#include "harness/backend/backend.h"

namespace ralph::cli {
namespace {

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

}  // namespace

std::span<const Command* const> parts_of(const Command& command) {
  return command.parts == nullptr ? std::span<const Command* const>() : command.parts();
}

std::vector<const Command*> all_commands() {
  std::vector<const Command*> all;
  for (const auto* command : commands()) {
    all.push_back(command);
    all.insert(all.end(), parts_of(*command).begin(), parts_of(*command).end());
  }
  return all;
}

std::string first_words(std::string_view command) {
  if (command == "bench config") return "init list get set unset";
  if (command == "config") return "show path accept schema";
  if (command == "auth") return "login logout status";
  if (command == "docs") return fmt::format("{}", fmt::join(document_names(), " "));
  return command == "completion" ? "bash zsh fish" : "";
}

Offer offer_of(const Option& option) {
  if (!usual_values(option).empty()) return Offer::words;
  if (option.value == "FILE" || option.value == "PATH") return Offer::files;
  if (option.value == "REF") return Offer::refs;
  return option.value == "DIR" ? Offer::folders : Offer::nothing;
}

bool takes_next_word(const Option& option) { return takes_of(option) == options::Takes::value; }

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

std::string usual_words(const Option& option) {
  std::string words(usual_values(option));
  std::ranges::replace(words, '|', ' ');
  return words;
}

namespace {

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
        return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", usual_words(option));
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

/// Commands of a command: "bench" becomes "bench run".
std::string bash_parts(const Command& command) {
  if (parts_of(command).empty()) return {};
  std::vector<std::string_view> names;
  for (const auto* part : parts_of(command)) names.push_back(last_word(*part));
  return fmt::format(R"(  if [ "$command" = {0} ] && [ "$COMP_CWORD" = 2 ]; then
    COMPREPLY=($(compgen -W '{1} --help' -- "$cur"))
    return
  fi
  [ "$command" != {0} ] || command="{0} ${{COMP_WORDS[2]}}"
)",
                     command.name, fmt::join(names, " "));
}

std::string bash_script() {
  std::string values, options, parts;
  for (const auto* command : commands()) parts += bash_parts(*command);
  for (const auto* command : all_commands()) {
    std::vector<std::string_view> names;
    for (const auto& option : all_options(*command)) {
      for (const auto& name : names_of(option)) names.push_back(name);
      if (!option.value.empty()) values += bash_values(*command, option);
    }
    options += fmt::format("    '{}') words='{}' first='{}' ;;\n", command->name,
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
{3}  if _ralph_value; then
    [ -z "$option" ] || COMPREPLY=("${{COMPREPLY[@]/#/$option}}")
    return
  fi
  [ -z "$option" ] || return
  case "$command" in
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
# 'yb' is 'ralph bench'.
_yb() {{
  COMP_WORDS=(ralph bench "${{COMP_WORDS[@]:1}}")
  COMP_CWORD=$((COMP_CWORD + 1))
  _ralph
}}
complete -F _ralph ralph
complete -F _yb yb youbencha
)",
                     fmt::join(command_words(), " "), values, options, parts);
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

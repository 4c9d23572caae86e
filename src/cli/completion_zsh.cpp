#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/completion_impl.h"
#include "cli/options.h"

namespace ralph::cli {
namespace {

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
                        offer == Offer::words     ? fmt::format("({})", usual_words(option))
                        : offer == Offer::files   ? "_files"
                        : offer == Offer::folders ? "_files -/"
                        : offer == Offer::refs    ? fmt::format("($({}))", kListRefs)
                                                  : " ");
  }
  const auto rest = fmt::format("[{}]{}", zsh_text(option.help), value);
  if (names.size() == 1) return shell_quoted(fmt::format("*{}{}", names.front(), rest));
  return fmt::format("'*'{{{},{}}}{}", names[0], names[1], shell_quoted(rest));
}

std::string zsh_list(std::span<const Command* const> list) {
  std::string text;
  for (const auto* command : list) {
    text += fmt::format("    {}\n",
                        shell_quoted(fmt::format("{}:{}", last_word(*command), command->summary)));
  }
  return text;
}

/// A branch of 'case $command in'.
std::string zsh_case(const Command& command) {
  if (const auto parts = parts_of(command); !parts.empty()) {
    std::string cases;
    for (const auto* part : parts) cases += zsh_case(*part);
    return fmt::format(R"(    {})
      commands=(
{}      )
      if (( CURRENT == 2 )); then
        _describe command commands
        return
      fi
      command=$words[2]
      shift words
      (( CURRENT-- ))
      case $command in
{}      esac ;;
)",
                       command.name, zsh_list(parts), cases);
  }
  std::string options;
  for (const auto& option : all_options(command)) options += " \\\n        " + zsh_option(option);
  const auto words = first_words(command.name);
  return fmt::format("    {})\n      _arguments{} \\\n        '*:{}' ;;\n", last_word(command),
                     options, words.empty() ? "file:_files" : fmt::format("action:({})", words));
}

}  // namespace

std::string zsh_script() {
  std::string cases;
  for (const auto* command : commands()) cases += zsh_case(*command);
  return fmt::format(R"(#compdef ralph yb youbencha
# zsh completion of ralph; made by: ralph completion zsh
_ralph() {{
  local -a commands
  commands=(
{}    'help:help about a command'
  )
  # 'yb' is 'ralph bench'.
  if [[ $service == (yb|youbencha) ]]; then
    words[1]=(ralph bench)
    (( CURRENT++ ))
  fi
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
if [ "$funcstack[1]" = _ralph ]; then _ralph "$@"; else compdef _ralph ralph yb youbencha; fi
)",
                     zsh_list(commands()), cases);
}

}  // namespace ralph::cli

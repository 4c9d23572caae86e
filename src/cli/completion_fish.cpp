#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/completion_impl.h"
#include "cli/options.h"

namespace ralph::cli {
namespace {

/// When the command line is one of this command: 'bench run' is not 'run'.
std::string fish_condition(const Command& command) {
  const auto seen = [](std::string_view name) {
    return fmt::format("__fish_seen_subcommand_from {}", name);
  };
  const auto space = command.name.find(' ');
  if (space != command.name.npos) {
    return seen(command.name.substr(0, space)) + "; and " + seen(last_word(command));
  }
  for (const auto* other : commands()) {
    for (const auto* part : parts_of(*other)) {
      if (last_word(*part) == command.name) {
        return seen(command.name) + "; and not " + seen(other->name);
      }
    }
  }
  return seen(command.name);
}

/// Between single quotes.
std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

std::string fish_option(const Command& command, const Option& option) {
  auto line = fmt::format("complete -c ralph -n '{}'", fish_condition(command));
  for (const auto& name : names_of(option)) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  if (takes_next_word(option)) {
    switch (offer_of(option)) {
      case Offer::words: line += fmt::format(" -x -a '{}'", usual_words(option)); break;
      case Offer::files: line += " -r -F"; break;
      case Offer::folders: line += " -x -a '(__fish_complete_directories)'"; break;
      case Offer::refs: line += fmt::format(" -x -a '({})'", kListRefs); break;
      case Offer::nothing: line += " -x"; break;
    }
  }
  return fmt::format("{} -d '{}'\n", line, fish_text(option.help));
}

/// The commands of a command, and those of ralph itself.
std::string fish_commands(const Command* of, std::span<const Command* const> list) {
  std::string condition = "__fish_use_subcommand", text;
  if (of != nullptr) {
    condition = fish_condition(*of);
    for (const auto* part : list) {
      condition += fmt::format("; and not __fish_seen_subcommand_from {}", last_word(*part));
    }
  }
  for (const auto* command : list) {
    text += fmt::format("complete -c ralph -n '{}' -f -a {} -d '{}'\n", condition,
                        last_word(*command), fish_text(command->summary));
  }
  return text;
}

}  // namespace

std::string fish_script() {
  std::string text = "# fish completion of ralph; made by: ralph completion fish\n";
  text += fish_commands(nullptr, commands());
  text += "complete -c ralph -n '__fish_use_subcommand' -f -a help -d 'help about a command'\n";
  text += fmt::format("complete -c ralph -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                      fmt::join(command_words(), " "));
  for (const auto* command : all_commands()) {
    text += fish_commands(command, parts_of(*command));
    if (const auto words = first_words(command->name); !words.empty()) {
      text +=
          fmt::format("complete -c ralph -n '{}' -f -a '{}'\n", fish_condition(*command), words);
    }
    for (const auto& option : all_options(*command)) text += fish_option(*command, option);
  }
  return text + "complete -c yb -w 'ralph bench'\ncomplete -c youbencha -w 'ralph bench'\n";
}

}  // namespace ralph::cli

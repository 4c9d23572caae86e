#include "agent/tool/bash_heuristics.h"

#include <algorithm>
#include <array>

#include "core/base/number.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace ralph::tool {
namespace {

struct Meaning {
  std::string_view program;
  std::string_view text;
};
constexpr std::array kMeanings{
    Meaning{"grep", "No matches found"},  Meaning{"egrep", "No matches found"},
    Meaning{"fgrep", "No matches found"}, Meaning{"rg", "No matches found"},
    Meaning{"diff", "Files differ"},      Meaning{"test", "Condition is false"},
    Meaning{"[", "Condition is false"},
};

constexpr std::array<std::string_view, 14> kSilent{
    "cd",    "chgrp", "chmod", "chown", "cp",    "export", "ln",
    "mkdir", "mv",    "rm",    "rmdir", "touch", "unset",  "wait",
};

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

std::string name_of(const ShellCommand& command) {
  if (command.nesting != ShellNesting::none || command.words.empty()) return {};
  const auto& word = command.words.front();
  return word.literal ? word.text.substr(word.text.rfind('/') + 1) : std::string();
}

}  // namespace

std::vector<std::string> command_names(std::string_view line) {
  std::vector<std::string> names;
  for (const auto& command : guess_shell_line(line).commands) {
    if (command.nesting != ShellNesting::substitution) names.push_back(name_of(command));
  }
  return names;
}

Millis standalone_sleep(std::string_view line) {
  if (next_word(line) != "sleep") return {};
  auto unit = next_word(line);
  if (!next_word(line).empty()) return {};
  const auto seconds = take_number<double>(unit);
  if (!seconds) return {};
  const auto scale = unit.empty() || unit == "s" ? 1.0
                     : unit == "m"               ? 60.0
                     : unit == "h"               ? 3600.0
                     : unit == "d"               ? 86400.0
                                                 : 0.0;
  return Millis{static_cast<std::int64_t>(std::clamp(*seconds * scale, 0.0, 1e9) * 1000)};
}

std::string_view meaning_of_exit_1(std::string_view line) {
  const auto names = command_names(line);
  if (names.empty()) return {};
  const auto found = std::ranges::find(kMeanings, names.back(), &Meaning::program);
  return found == kMeanings.end() ? std::string_view{} : found->text;
}

bool usually_silent(std::string_view line) {
  const auto names = command_names(line);
  return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
    return std::ranges::find(kSilent, name) != kSilent.end();
  });
}

}  // namespace ralph::tool

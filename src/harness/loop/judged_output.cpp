#include "harness/loop/judged_output.h"

#include <algorithm>

#include "harness/loop/command_programs.h"

namespace ralph::loop {
namespace {

bool runs_one_of(const ShellCommand& command, std::string_view programs) {
  return !command.words.empty() && has_word(programs, command.words.front().text);
}
bool only_shows(const ShellCommand& command) {
  return runs_one_of(command, "cat head tail less tee ts nl");
}

}  // namespace

void JudgedOutput::add(std::string_view line) {
  for (const auto& command : parse_shell_line(line).commands) {
    if (runs_one_of(command, "tee") || (only_shows(command) && !command.captured)) continue;
    for (const auto& word : command.words) named_.insert(word.text);
    for (const auto& word : command.inputs) named_.insert(word.text);
  }
}

bool JudgedOutput::has_any(const std::vector<ShellWord>& words) const {
  return std::ranges::any_of(words, [&](const auto& word) { return named_.contains(word.text); });
}

std::vector<bool> JudgedOutput::of(const std::vector<ShellCommand>& commands) const {
  std::vector<bool> judged(commands.size());
  for (auto i = commands.size(); i-- > 0;) {
    judged[i] = has_any(commands[i].outputs) ||
                (runs_one_of(commands[i], "tee") && has_any(commands[i].words));
    if (judged[i] || !commands[i].captured) continue;
    // Behind a pipe stands the command that reads it; behind a substitution, the command it is part of.
    const bool shown = i + 1 < commands.size() && only_shows(commands[i + 1]);
    judged[i] = !shown || judged[i + 1];
  }
  return judged;
}

}  // namespace ralph::loop

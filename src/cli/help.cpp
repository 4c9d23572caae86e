#include "cli/help.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

namespace ralph::cli {
namespace {

struct Row {
  std::string left;
  std::string_view right;
};

std::string table(std::string_view title, const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.left.size());
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& row : rows) text += fmt::format("  {:<{}}  {}\n", row.left, width, row.right);
  return text;
}

/// "-v, --verbose" and "    --speed N|max": long names stand below each other.
std::string left_side(const Option& option) {
  const auto comma = option.names.find(',');
  std::string text =
      comma == std::string_view::npos
          ? fmt::format("    {}", option.names)
          : fmt::format("{}, {}", option.names.substr(0, comma), option.names.substr(comma + 1));
  const bool attached = option.value.starts_with("[=");
  if (!option.value.empty()) text += fmt::format("{}{}", attached ? "" : " ", option.value);
  return text;
}

std::string examples(std::span<const Example> list) {
  std::string text = list.empty() ? "" : "\nExamples:\n";
  for (const auto& example : list)
    text += fmt::format("  {}\n      {}\n", example.line, example.what);
  return text;
}

constexpr Example kProgramExamples[] = {
    {"ralph replay .ralph/logs/claude/LOG.ndjson", "show a recorded session again"},
    {"ralph replay LOG.ndjson --speed 10 -v", "ten times as fast as it was, with all details"},
};

}  // namespace

std::string program_help() {
  std::vector<Row> rows;
  for (const auto* command : commands())
    rows.push_back({std::string(command->name), command->summary});
  rows.push_back({"help", "this text, or that of one command: ralph help replay"});
  return "ralph runs coding agents so that you can leave the room.\n\nUsage: ralph COMMAND "
         "[OPTIONS]\n" +
         table("Commands", rows) +
         table("Options",
               {{"-h, --help", "show this text"}, {"-V, --version", "show the version"}}) +
         examples(kProgramExamples) + "\n'ralph COMMAND --help' tells more.\n";
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: ralph {}", command.about, command.name);
  std::vector<Row> positionals, options;
  for (const auto& positional : command.positionals) {
    const bool optional = positional.need == Need::optional;
    text += optional ? fmt::format(" [{}]", positional.name) : fmt::format(" {}", positional.name);
    positionals.push_back({std::string(positional.name), positional.help});
  }
  for (const auto& option : options_of(command))
    options.push_back({left_side(option), option.help});
  options.push_back({"-h, --help", "show this text"});
  text += " [OPTIONS]";
  if (!command.rest.empty()) text += fmt::format(" [-- {}]", command.rest);
  return text + "\n" + table("Arguments", positionals) + table("Options", options) +
         examples(command.examples);
}

}  // namespace ralph::cli

#include "cli/help.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "cli/options.h"

namespace ralph::cli {
namespace {

struct HelpRow {
  std::string left;
  std::string_view right;
};

constexpr std::size_t kWidth = 100;  // of a line

/// Wraps the text at spaces, to lines of at most `width` characters.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  while (text.size() > width) {
    const auto blank = text.rfind(' ', width);
    if (blank == text.npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, blank), "", indent);
    text.remove_prefix(blank + 1);
  }
  return lines.append(text);
}

std::size_t width_of(const std::vector<HelpRow>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.left.size());
  return width;
}

std::string table(std::string_view title, const std::vector<HelpRow>& rows, std::size_t width) {
  if (rows.empty()) return {};
  std::string text = fmt::format("\n{}:\n", title);
  const auto indent = width + 4;
  const auto right = kWidth > indent + 30 ? kWidth - indent : 30;
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}  {}\n", row.left, width, wrapped(row.right, right, indent));
  }
  return text;
}

std::string table(std::string_view title, const std::vector<HelpRow>& rows) {
  return table(title, rows, width_of(rows));
}

/// "-v, --verbose" and "    --speed N|max": long names are aligned.
std::string left_side(const Option& option) {
  const auto comma = option.names.find(',');
  std::string text =
      comma == std::string_view::npos
          ? fmt::format("    {}", option.names)
          : fmt::format("{}, {}", option.names.substr(0, comma), option.names.substr(comma + 1));
  const bool attached = takes_of(option) == options::Takes::attached;
  if (!option.value.empty()) text += fmt::format("{}{}", attached ? "" : " ", option.value);
  return text;
}

struct Section {
  std::string_view title;
  std::vector<HelpRow> rows;
};

/// In the order of their first option; options without a topic come last.
std::vector<Section> sections_of(const Command& command, Extent extent) {
  constexpr std::string_view kOthers = "Options";
  std::vector<Section> sections;
  Section others{kOthers, {}};
  for (const auto& option : options_of(command)) {
    if (option.on_request && extent == Extent::usual) continue;
    auto* section = &others;
    if (!option.topic.empty()) {
      auto found = std::ranges::find(sections, option.topic, &Section::title);
      if (found == sections.end()) found = sections.insert(found, Section{option.topic, {}});
      section = &*found;
    }
    section->rows.push_back({left_side(option), option.help});
  }
  others.rows.push_back(has_more_options(command)
                            ? HelpRow{"-h, --help [--all]", "show this text, or all options"}
                            : HelpRow{"-h, --help", "show this text"});
  sections.push_back(std::move(others));
  return sections;
}

std::string option_sections(const Command& command, Extent extent) {
  const auto sections = sections_of(command, extent);
  std::size_t width = 0;
  for (const auto& section : sections) width = std::max(width, width_of(section.rows));
  std::string text;
  for (const auto& section : sections) text += table(section.title, section.rows, width);
  return text;
}

std::string examples(std::span<const Example> list) {
  std::string text = list.empty() ? "" : "\nExamples:\n";
  for (const auto& example : list)
    text += fmt::format("  {}\n      {}\n", example.line, example.what);
  return text;
}

constexpr Example kProgramExamples[] = {
    {"ralph demo", "a demonstration, offline"},
    {"ralph run -p 'Fix the failing test'", "run an agent once"},
    {"ralph loop GOAL.md --verify 'make test' --max-cost 5",
     "run it until the goal is reached, within a budget"},
};

}  // namespace

std::string program_help() {
  std::vector<HelpRow> rows;
  for (const auto* command : commands())
    rows.push_back({std::string(command->name), command->summary});
  rows.push_back({"help", "show this text, or the help of a command: ralph help replay"});
  return "ralph runs coding agents unattended: supervised, within limits, verified.\n\n"
         "Usage: ralph COMMAND [OPTIONS]\n" +
         table("Commands", rows) +
         table("Options",
               {{"-h, --help", "show this text"}, {"-V, --version", "show the version"}}) +
         examples(kProgramExamples) +
         "\nRun 'ralph COMMAND --help' for the options of a command.\n";
}

std::string usage_line(const Command& command) {
  std::string text = fmt::format("ralph {}", command.name);
  for (const auto& positional : command.positionals) {
    const bool optional = positional.need == Need::optional;
    text += optional ? fmt::format(" [{}]", positional.name) : fmt::format(" {}", positional.name);
  }
  text += " [OPTIONS]";
  if (!command.rest.empty()) text += fmt::format(" [-- {}]", command.rest);
  return text;
}

bool has_more_options(const Command& command) {
  return std::ranges::any_of(options_of(command), &Option::on_request);
}

std::string command_help(const Command& command, Extent extent) {
  std::vector<HelpRow> positionals;
  for (const auto& positional : command.positionals) {
    positionals.push_back({std::string(positional.name), positional.help});
  }
  return fmt::format("{}\n\nUsage: {}\n{}{}{}", command.about, usage_line(command),
                     table("Arguments", positionals), option_sections(command, extent),
                     examples(command.examples));
}

}  // namespace ralph::cli

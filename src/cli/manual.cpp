#include "cli/manual.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "agent/settings/options.h"
#include "cli/help.h"
#include "cli/options.h"

namespace ralph::cli {
namespace {

/// Escapes text for troff; hyphens stay ASCII so that options can be copied.
std::string escaped(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    at_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string header(std::string_view page) {
  std::string name(page);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return fmt::format(".TH {} 1 \"\" \"ralph {}\" \"User Commands\"\n.nh\n.ad l\n", escaped(name),
                     RALPH_VERSION);
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }

std::string entry(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, escaped(text));
}

/// "\fB-v\fR, \fB--verbose\fR \fIN\fR".
std::string option_term(const Option& option) {
  std::string names = escaped(option.names);
  if (const auto comma = names.find(','); comma != names.npos) {
    names.replace(comma, 1, "\\fR, \\fB");
  }
  const bool attached = takes_of(option) == options::Takes::attached;
  if (option.value.empty()) return fmt::format("\\fB{}\\fR", names);
  return fmt::format("\\fB{}\\fR{}\\fI{}\\fR", names, attached ? "" : " ", escaped(option.value));
}

std::string options_section(const Command& command) {
  std::string text = section("OPTIONS");
  std::string_view topic;
  std::string others;
  for (const auto& option : options_of(command)) {
    if (option.topic.empty()) {
      others += entry(option_term(option), option.help);
      continue;
    }
    if (option.topic != topic) text += fmt::format(".SS {}\n", option.topic);
    topic = option.topic;
    text += entry(option_term(option), option.help);
  }
  if (!topic.empty() && !others.empty()) text += ".SS Other\n";
  return text + others + entry("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "show a summary of this page");
}

std::string examples_section(std::span<const Example> list) {
  std::string text = list.empty() ? "" : section("EXAMPLES");
  for (const auto& example : list) {
    text += fmt::format(".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", escaped(example.what),
                        escaped(example.line));
  }
  return text;
}

/// Preformatted lines.
std::string verbatim(std::string_view text) {
  return fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text));
}

std::string see_also(std::string_view but) {
  std::string text = section("SEE ALSO");
  if (but != "ralph") text += "\\fBralph\\fR(1)";
  for (const auto* command : commands()) {
    if (command->name == but) continue;
    if (!text.ends_with('\n')) text += ",\n";
    text += fmt::format("\\fBralph\\-{}\\fR(1)", command->name);
  }
  return text + "\n";
}

}  // namespace

std::string program_manual() {
  std::string text =
      header("ralph") + section("NAME") + "ralph \\- run coding agents unattended\n" +
      section("SYNOPSIS") + ".B ralph\n.I COMMAND\n[OPTIONS]\n" + section("DESCRIPTION") +
      "ralph starts an agent CLI such as Claude Code, shows what it does, saves all of its "
      "output,\nenforces budgets and time limits, reports how it ended, restarts it after crashes "
      "and outages,\nand leaves no process behind.\n" +
      section("COMMANDS");
  for (const auto* command : commands()) {
    text += entry(fmt::format("\\fBralph\\-{}\\fR(1)", command->name), command->summary);
  }
  text += section("FILES");
  text += entry("\\fIralph.yml\\fR", "settings of a project; 'ralph config schema' describes them");
  text += entry("\\fI.ralph/\\fR", "logs, state and the lock of a workspace");
  text += entry("\\fI~/.config/ralph/config.yml\\fR", "settings of the user");
  text += entry("\\fI~/.local/state/ralph/\\fR", "records of loops, out of the reach of agents");
  return text + see_also("ralph");
}

std::string command_manual(const Command& command) {
  std::string text = header(fmt::format("ralph-{}", command.name)) + section("NAME") +
                     fmt::format("ralph\\-{} \\- {}\n", command.name, escaped(command.summary)) +
                     section("SYNOPSIS") +
                     fmt::format("\\fB{}\\fR\n", escaped(usage_line(command))) +
                     section("DESCRIPTION") + escaped(command.about) + "\n";
  if (command.run_words != nullptr) {
    return text + verbatim(settings::options_help()) + see_also(command.name);
  }
  for (const auto& positional : command.positionals) {
    text += entry(fmt::format("\\fI{}\\fR", escaped(positional.name)), positional.help);
  }
  return text + options_section(command) + examples_section(command.examples) +
         see_also(command.name);
}

}  // namespace ralph::cli

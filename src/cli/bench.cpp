#include "cli/bench.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/help.h"
#include "core/base/nearest.h"
#include "core/base/safe_text.h"
#include "harness/stream/outcome.h"

namespace ralph::cli {
namespace {

constexpr std::array<const BenchCommand*, 9> kBenchCommands{
    &kBenchRun,  &kBenchEval,   &kBenchReport,        &kBenchValidate, &kBenchInit,
    &kBenchList, &kBenchConfig, &kBenchInstallAgents, &kBenchSuggest};

/// In help texts of `yb`, the program is called so.
std::string renamed(std::string text, bool as_yb) {
  constexpr std::string_view kOwn = "ralph bench";
  for (auto at = text.find(kOwn); as_yb && at != std::string::npos; at = text.find(kOwn, at)) {
    text.replace(at, kOwn.size(), "yb");
  }
  return text;
}

std::string bench_help() {
  std::string text =
      "usage: ralph bench COMMAND [OPTIONS]\n\n"
      "Runs a coding agent on a test case and grades what it did.\n\nCommands:\n";
  for (const auto* one : kBenchCommands) {
    text += fmt::format("  {:<17} {}\n", one->name(), one->command.summary);
  }
  return text +
         "\n'ralph bench COMMAND --help' shows the options. 'ralph docs bench' describes test "
         "cases.\n";
}

int usage_error(const std::string& message, std::string_view where, const BenchLines& lines) {
  if (!lines.as_yb()) {
    return report({Code::usage, message, fmt::format("see '{} --help'", where)}, lines.output());
  }
  lines.output().err(fmt::format("error: {}\n", safe_text(message)));
  return 1;
}

int unknown_bench_command(const std::string& name, const BenchLines& lines) {
  std::vector<std::string> known;
  for (const auto* one : kBenchCommands) known.emplace_back(one->name());
  auto message = fmt::format("unknown {} '{}'", name.starts_with('-') ? "option" : "command", name);
  const auto near = nearest(name, known);
  if (!near.empty() && !lines.as_yb()) message += fmt::format("; did you mean '{}'?", near);
  return usage_error(message, "ralph bench", lines);
}

/// The option that the command needs, if it is not there.
const Option* missing_option(const BenchCommand& one, const Arguments& arguments) {
  if (one.required.empty() || arguments.flag(one.required)) return nullptr;
  const auto found = std::ranges::find_if(one.command.options, [&](const Option& option) {
    return long_name(option.names) == one.required;
  });
  return found == one.command.options.end() ? nullptr : &*found;
}

/// "-c,--config" and "PATH": "-c, --config <path>".
std::string option_words(const Option& option) {
  std::string names(option.names);
  if (const auto comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  std::string value(option.value);
  std::ranges::transform(value, value.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fmt::format("{} <{}>", names, value);
}

int run_one(const BenchCommand& one, const std::vector<std::string>& words,
            const BenchLines& lines) {
  const auto where = fmt::format("ralph {}", one.command.name);
  const auto arguments = parse_arguments(one.command, words);
  if (!arguments) return usage_error(arguments.error().message, where, lines);
  if (arguments->wants_help()) {
    lines.output().out(renamed(command_help(one.command), lines.as_yb()));
    return 0;
  }
  const bool needs = !(one.name() == "validate" && arguments->flag("schema"));
  if (const auto* option = needs ? missing_option(one, *arguments) : nullptr) {
    return usage_error(fmt::format("required option '{}' not specified", option_words(*option)),
                       where, lines);
  }
  return one.run(*arguments, lines);
}

int run_bench(std::span<const std::string> words, BenchName name, StdOutput& output) {
  const BenchLines lines(name, output);
  if (!words.empty() && (words[0] == "-V" || words[0] == "--version") && lines.as_yb()) {
    output.out(RALPH_VERSION "\n");
    return 0;
  }
  const bool help = words.empty() || words[0] == "-h" || words[0] == "--help" || words[0] == "help";
  if (help && words.size() < 2) {
    output.out(renamed(bench_help(), lines.as_yb()));
    return 0;
  }
  const auto& wanted = help ? words[1] : words[0];
  const auto found = std::ranges::find(kBenchCommands, wanted, &BenchCommand::name);
  if (found == kBenchCommands.end()) return unknown_bench_command(wanted, lines);
  if (help) return run_one(**found, {"--help"}, lines);
  return run_one(**found, {words.begin() + 1, words.end()}, lines);
}

int run_bench_words(std::span<const std::string> words, StdOutput& output) {
  return run_bench(words, BenchName::ralph_bench, output);
}

std::span<const Command* const> bench_parts() {
  static const auto kParts = [] {
    std::array<const Command*, kBenchCommands.size()> parts{};
    std::ranges::transform(kBenchCommands, parts.begin(),
                           [](const BenchCommand* one) { return &one->command; });
    return parts;
  }();
  return kParts;
}

int no_bench_arguments(const Arguments&, StdOutput&) { return 1; }

constexpr Example kBenchExamples[] = {
    {"ralph bench init", "write a test case to start from"},
    {"ralph bench validate -c testcase.yaml", "check it"},
    {"ralph bench run -c testcase.yaml", "run the agent and grade its work"},
    {"ralph bench report --from .youbencha-workspace/run-…/artifacts/results.json",
     "write a report for people"},
};

}  // namespace

void BenchLines::info(std::string_view text) const {
  const auto shown = log_masker().mask(safe_text(text));
  output_.out(as_yb() ? fmt::format("[youBencha] [INFO] {}\n", shown) : shown + "\n");
  output_.flush();
}

void BenchLines::warn(std::string_view text) const {
  if (!as_yb()) return cli::warn(text, output_);
  output_.err(fmt::format("[youBencha] [WARN] {}\n", log_masker().mask(safe_text(text))));
}

int BenchLines::fail(const Error& error) const {
  if (!as_yb()) return cli::report(error, output_);
  output_.err(
      fmt::format("[youBencha] [ERROR] {}\n", log_masker().mask(safe_text(describe(error)))));
  return 1;
}

int BenchLines::fail_unavailable(const Error& error) const {
  const int code = fail(error);
  const bool missing = error.code == Code::not_found || error.code == Code::permission;
  return missing && !as_yb() ? stream::row(stream::Outcome::not_installed).exit_code : code;
}

int run_yb(std::span<const std::string> words, StdOutput& output) {
  return run_bench(words, BenchName::yb, output);
}

constinit const Command kBenchCommand{
    "bench",
    "run an agent on a test case and grade its work",
    "Clones a repository, lets an agent work on the task of a test case, and grades the result.\n"
    "Test cases, commands and result files are those of youBencha; called 'yb' or 'youbencha', "
    "exit\n"
    "codes and messages are too. 'ralph bench --help' lists the commands; 'ralph docs bench' "
    "describes\n"
    "them.",
    {},
    {},
    kBenchExamples,
    no_bench_arguments,
    {},
    nullptr,
    run_bench_words,
    bench_parts,
};

}  // namespace ralph::cli

#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/mask.h"
#include "core/base/nearest.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/sandbox_init.h"
#include "cli/std_output.h"
#include "harness/run/model_route.h"
#include "harness/stream/outcome.h"

namespace ralph::cli {
namespace {

constexpr std::array<const Command*, 17> kCommands{
    &kDemoCommand,   &kInitCommand,      &kRunCommand,  &kLoopCommand,   &kStatusCommand,
    &kTellCommand,   &kStopCommand,      &kUndoCommand, &kReplayCommand, &kDoctorCommand,
    &kConfigCommand, &kAgentCommand,     &kAuthCommand, &kTrustCommand,  &kMockCommand,
    &kDocsCommand,   &kCompletionCommand};

std::string mask_for_log(std::string_view text) { return log_masker().mask(text); }

const Command* find(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : *found;
}

int unknown_command(const std::string& name, StdOutput& output) {
  std::vector<std::string> known{"help", "--help", "--version"};
  for (const auto* command : kCommands) known.emplace_back(command->name);
  const auto near = nearest(name, known);
  const char* kind = name.starts_with('-') ? "option" : "command";
  auto message = fmt::format("unknown {} '{}'", kind, name);
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  return report_usage({Code::usage, message, {}}, nullptr, output);
}

int show(std::string_view text, StdOutput& output) {
  output.out(text);
  return 0;
}

/// For scripts: a line each.
std::string command_names() {
  std::string names;
  for (const auto* command : kCommands) names += fmt::format("{}\n", command->name);
  return names;
}

int help(const std::vector<std::string>& words, StdOutput& output) {
  if (words.empty()) return show(program_help(), output);
  if (words.front() == "--man") return show(program_manual(), output);
  if (words.front() == "--names") return show(command_names(), output);
  if (words.front().starts_with('-')) return show(program_help(), output);
  const auto* command = find(words.front());
  if (command == nullptr) return unknown_command(words.front(), output);
  if (std::ranges::find(words, "--man") != words.end()) {
    return show(command_manual(*command), output);
  }
  const bool all = std::ranges::find(words, "--all") != words.end();
  return show(command_help(*command, all ? Extent::all : Extent::usual), output);
}

/// Commands that work in the current folder unless an argument, or RALPH_CWD, names another one.
constexpr std::array<const Command*, 9> kInFolder{&kInitCommand,   &kRunCommand,    &kLoopCommand,
                                                  &kStatusCommand, &kTellCommand,   &kStopCommand,
                                                  &kUndoCommand,   &kConfigCommand, &kTrustCommand};

/// A shell may stand in a folder that was deleted.
Result<> check_current_folder(const Command& command, const Arguments& arguments) {
  std::error_code error;
  std::ignore = std::filesystem::current_path(error);
  const auto names_other = [&](std::string_view path) {
    return std::filesystem::path(path).is_absolute();
  };
  const char* variable = std::getenv("RALPH_CWD");
  if (!error || std::ranges::find(kInFolder, &command) == kInFolder.end() ||
      names_other(arguments.value("cwd", "")) || names_other(variable == nullptr ? "" : variable) ||
      (&command == &kTrustCommand && names_other(arguments.positional(0)))) {
    return {};
  }
  return fail(Code::usage, fmt::format("cannot use the current folder: {}", error.message()),
              "it was deleted, or is not yours to see: go to another one (cd)");
}

bool wants_all_help(const Command& command, const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), end, word) != end;
  };
  return has_more_options(command) && has("--all") && (has("--help") || has("-h"));
}

int run(const Command& command, const std::vector<std::string>& words, StdOutput& output) {
  if (command.run_words != nullptr) return command.run_words(words, output);
  if (words.empty() && command.help_without_words) return show(command_help(command), output);
  if (wants_all_help(command, words)) return show(command_help(command, Extent::all), output);
  const auto arguments = parse_arguments(command, words);
  if (!arguments) return report_usage(arguments.error(), &command, output);
  if (arguments->wants_help()) return show(command_help(command), output);
  if (auto usable = check_current_folder(command, *arguments); !usable) {
    return report(usable.error(), output);
  }
  return command.run(*arguments, output);
}

/// Another name of ours opens another door.
bool called_as(const std::vector<std::string>& words, std::string_view name) {
  return !words.empty() && std::filesystem::path(words.front()).filename() == name;
}

int choose(const std::vector<std::string>& words, StdOutput& output) {
  if (called_as(words, "claude")) {
    return kAgentCommand.run_words(std::span(words).subspan(1), output);
  }
  if (words.size() < 2) return report_usage({Code::usage, "no command given", {}}, nullptr, output);
  const auto& name = words[1];
  const std::vector<std::string> rest(words.begin() + 2, words.end());
  if (name == "--version" || name == "-V") return show("ralph " RALPH_VERSION "\n", output);
  if (name == "--help" || name == "-h") return show(program_help(), output);
  if (name == "help") return help(rest, output);
  if (name == run::kSandboxInit) return sandbox_init(rest, output);
  const auto* command = find(name);
  return command == nullptr ? unknown_command(name, output) : run(*command, rest, output);
}

int choose_or_give_up(const std::vector<std::string>& words, StdOutput& output) {
  try {
    return choose(words, output);
  } catch (const std::filesystem::filesystem_error& error) {
    return report({Code::unavailable, error.what(), "look at the folder that is named"}, output);
  } catch (const std::system_error& error) {
    return report({Code::unavailable, fmt::format("the system refuses: {}", error.what()),
                   "a limit (ulimit -u, a container) may be too low"},
                  output);
  } catch (const std::bad_alloc&) {
    return report(
        {Code::unavailable, "out of memory", "a limit (ulimit -v, a container) may be too low"},
        output);
  } catch (const std::exception& error) {
    return report({Code::internal, fmt::format("internal error: {}", error.what()),
                   "please report it with the command that led to it"},
                  output);
  }
}

/// For what a thread or a destructor did not catch: a message and an exit code instead of a signal. Whatever was started
/// ends with us: its guard sees our end. There may be no memory left.
[[noreturn]] void end_with_message() {
  std::array<char, 400> text{};
  const auto thrown = std::current_exception();
  const char* what = "terminated";
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "unknown exception";
  }
  std::snprintf(text.data(), text.size() - 1, "ralph: internal error: %s", what);
  auto end = std::ranges::find(text, '\0');
  std::ranges::replace_if(text.begin(), end, [](char c) { return c < ' ' || c > '~'; }, '?');
  *end++ = '\n';
  [[maybe_unused]] const auto put =
      ::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.begin()));
  std::_Exit(stream::row(stream::Outcome::agent_error).exit_code);
}

/// A descriptor that is closed would be given to the next file we open, which would then get our output.
/// Writing to what is opened here fails, as it would to a closed descriptor.
void hold_standard_fds() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

int main(const std::vector<std::string>& words) {
  std::set_terminate(end_with_message);
  hold_standard_fds();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is seen by write(2)
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is seen by write(2)
  StdOutput output;
  if (const auto log = log::configure(mask_for_log); !log) warn(describe(log.error()), output);
  const int code = choose_or_give_up(words, output);
  output.flush();
  if (!output.failure()) return code;
  const int failed = report(*output.failure(), output);
  return code == 0 ? failed : code;
}

}  // namespace ralph::cli

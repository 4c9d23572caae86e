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

#include "cli/bench.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/sandbox_init.h"
#include "cli/std_output.h"
#include "core/base/log.h"
#include "core/base/mask.h"
#include "core/base/nearest.h"
#include "harness/run/model_route.h"
#include "harness/stream/outcome.h"

namespace ralph::cli {
namespace {

constexpr std::array<const Command*, 18> kCommands{
    &kDemoCommand,  &kInitCommand,   &kRunCommand,       &kLoopCommand,   &kStatusCommand,
    &kTellCommand,  &kStopCommand,   &kUndoCommand,      &kReplayCommand, &kDoctorCommand,
    &kBenchCommand, &kConfigCommand, &kAgentCommand,     &kAuthCommand,   &kTrustCommand,
    &kMockCommand,  &kDocsCommand,   &kCompletionCommand};

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

int print(std::string_view text, StdOutput& output) {
  output.out(text);
  return 0;
}

/// For scripts: one per line.
std::string command_list() {
  std::string names;
  for (const auto* command : kCommands) names += fmt::format("{}\n", command->name);
  return names;
}

int help(const std::vector<std::string>& words, StdOutput& output) {
  if (words.empty()) return print(program_help(), output);
  if (words.front() == "--man") return print(program_manual(), output);
  if (words.front() == "--names") return print(command_list(), output);
  if (words.front().starts_with('-')) return print(program_help(), output);
  const auto* command = find(words.front());
  if (command == nullptr) return unknown_command(words.front(), output);
  if (std::ranges::find(words, "--man") != words.end()) {
    return print(command_manual(*command), output);
  }
  const bool all = std::ranges::find(words, "--all") != words.end();
  return print(command_help(*command, all ? Extent::all : Extent::usual), output);
}

/// Commands that use the current directory unless an argument or RALPH_CWD names another one.
constexpr std::array<const Command*, 9> kInDirectory{
    &kInitCommand, &kRunCommand,  &kLoopCommand,   &kStatusCommand, &kTellCommand,
    &kStopCommand, &kUndoCommand, &kConfigCommand, &kTrustCommand};

/// The current directory of a shell may have been deleted.
Result<> check_current_directory(const Command& command, const Arguments& arguments) {
  std::error_code error;
  std::ignore = std::filesystem::current_path(error);
  const auto names_other = [&](std::string_view path) {
    return std::filesystem::path(path).is_absolute();
  };
  const char* variable = std::getenv("RALPH_CWD");
  if (!error || std::ranges::find(kInDirectory, &command) == kInDirectory.end() ||
      names_other(arguments.value("cwd", "")) || names_other(variable == nullptr ? "" : variable) ||
      (&command == &kTrustCommand && names_other(arguments.positional(0)))) {
    return {};
  }
  return fail(Code::usage, fmt::format("cannot use the current directory: {}", error.message()),
              "it was deleted, or you have no permission: change to another one (cd)");
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
  if (wants_all_help(command, words)) return print(command_help(command, Extent::all), output);
  const auto arguments = parse_arguments(command, words);
  if (!arguments) return report_usage(arguments.error(), &command, output);
  if (arguments->wants_help()) return print(command_help(command), output);
  if (auto usable = check_current_directory(command, *arguments); !usable) {
    return report(usable.error(), output);
  }
  return command.run(*arguments, output);
}

/// Called by another name, the program is the agent or the benchmark.
bool called_as(const std::vector<std::string>& words, std::string_view name) {
  return !words.empty() && std::filesystem::path(words.front()).filename() == name;
}

int choose(const std::vector<std::string>& words, StdOutput& output) {
  if (called_as(words, "claude")) {
    return kAgentCommand.run_words(std::span(words).subspan(1), output);
  }
  if (called_as(words, "yb") || called_as(words, "youbencha")) {
    return run_yb(std::span(words).subspan(1), output);
  }
  if (words.size() < 2) return report_usage({Code::usage, "no command given", {}}, nullptr, output);
  const auto& name = words[1];
  const std::vector<std::string> rest(words.begin() + 2, words.end());
  if (name == "--version" || name == "-V") return print("ralph " RALPH_VERSION "\n", output);
  if (name == "--help" || name == "-h") return print(program_help(), output);
  if (name == "help") return help(rest, output);
  if (name == run::kSandboxInit) return sandbox_init(rest, output);
  const auto* command = find(name);
  return command == nullptr ? unknown_command(name, output) : run(*command, rest, output);
}

int choose_and_catch(const std::vector<std::string>& words, StdOutput& output) {
  try {
    return choose(words, output);
  } catch (const std::filesystem::filesystem_error& error) {
    return report({Code::unavailable, error.what(), "check the path in the message"}, output);
  } catch (const std::system_error& error) {
    return report({Code::unavailable, fmt::format("system error: {}", error.what()),
                   "a resource limit may be too low (ulimit -u, or the container's)"},
                  output);
  } catch (const std::bad_alloc&) {
    return report({Code::unavailable, "out of memory",
                   "a memory limit may be too low (ulimit -v, or the container's)"},
                  output);
  } catch (const std::exception& error) {
    return report({Code::internal, fmt::format("internal error: {}", error.what()),
                   "please report this with the command that caused it"},
                  output);
  }
}

/// For exceptions that nothing caught, in a thread or a destructor: a message and an exit code instead of SIGABRT.
/// Guards end the processes we started when we exit. Allocates nothing: memory may be exhausted.
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

/// A closed standard descriptor would be reused by the next file we open, which would then get our output. What is
/// opened here instead fails on use, as a closed descriptor does.
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
  std::signal(SIGPIPE, SIG_IGN);  // write(2) reports EPIPE instead
  std::signal(SIGXFSZ, SIG_IGN);  // write(2) reports EFBIG instead
  StdOutput output;
  if (const auto log = log::configure(mask_for_log); !log) warn(describe(log.error()), output);
  const int code = choose_and_catch(words, output);
  output.flush();
  if (!output.failure()) return code;
  const int failed = report(*output.failure(), output);
  return code == 0 ? failed : code;
}

}  // namespace ralph::cli

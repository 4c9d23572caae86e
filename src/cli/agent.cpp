#include "agent/wire/agent.h"

#include <filesystem>
#include <mutex>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/settings/claude_version.h"
#include "agent/settings/options.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/reader_watch.h"
#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr Millis kSignalDrainTimeout{500};

std::string version_line() { return fmt::format("{} (Claude Code)\n", settings::kClaudeVersion); }

/// stdout and stderr for many threads. A line is out when the call returns. A terminal gets nothing that could drive it,
/// be it the model's, a settings file's or an endpoint's; stderr never does, as it may be shown later.
wire::Io make_io(StdOutput& output, std::mutex& mutex) {
  wire::Io io;
  io.out = [&, terminal = ::isatty(STDOUT_FILENO) == 1](std::string_view lines) {
    const auto shown = terminal ? view::safe_text(lines) : std::string();
    const std::lock_guard lock(mutex);
    output.out(terminal ? shown : lines);
    output.flush();
    return !output.closed() && !output.failure();
  };
  io.err = [&](std::string_view lines) {
    const auto shown = view::safe_text(lines);
    const std::lock_guard lock(mutex);
    output.err(shown);
  };
  return io;
}

int run_agent(std::span<const std::string> words, StdOutput& output) {
  auto options = settings::parse_options(words, ::isatty(STDOUT_FILENO) == 1);
  if (!options) {
    output.err(view::safe_text(describe(options.error())) + "\n");
    return 1;
  }
  if (options->version || options->help) {
    output.out(options->version ? version_line() : settings::options_help());
    return 0;
  }
  std::error_code error;
  auto cwd = std::filesystem::current_path(error);
  if (error) {
    return report(fail_errno(error.value(), "cannot tell the current folder").error(), output);
  }

  std::mutex mutex;
  wire::Agent agent({*std::move(options), settings::Environment(environment()), std::move(cwd),
                     make_io(output, mutex), RALPH_VERSION, ::geteuid() == 0});
  const StopSignals signals([&](int signal_number) {
    output.hurry(kSignalDrainTimeout);
    agent.on_signal(signal_number);
  });
  const ReaderWatch watch(STDOUT_FILENO, [&] { agent.lose_reader(); });
  return agent.run();
}

int never_called(const Arguments&, StdOutput&) { return 1; }

constexpr Example kExamples[] = {
    {"ralph agent -p 'What does this project do?'", "one answer, as text"},
    {"ralph agent -p 'Fix it' --output-format stream-json --verbose", "every event, as it happens"},
    {"ln -s $(command -v ralph) ~/bin/claude", "for clients that look for claude"},
};

}  // namespace

constinit const Command kAgentCommand{
    "agent",
    "our own coding agent, with Claude Code's command line",
    "Does what the Claude Code binary does in headless use: the same options, the same "
    "stream-json\n"
    "in and out, the Messages API called directly. The same when this program is called 'claude'.\n"
    "'ralph agent --help' lists its options; 'ralph docs agent' describes it.",
    {},
    {},
    kExamples,
    never_called,
    {},
    false,
    nullptr,
    run_agent,
};

}  // namespace ralph::cli

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

constexpr Millis kAgentDrainTimeout{500};

std::string version_line() { return fmt::format("{} (Claude Code)\n", settings::kClaudeVersion); }

/// stdout and stderr for many threads. A line is written when the call returns. Control characters (from the model, a
/// settings file or an endpoint) are made visible on a terminal, and always on stderr, which may be shown later.
wire::Io make_io(StdOutput& output, std::mutex& mutex) {
  wire::Io io;
  io.out = [&, terminal = ::isatty(STDOUT_FILENO) == 1](std::string_view lines) {
    const auto shown = terminal ? console::safe_text(lines) : std::string();
    const std::lock_guard lock(mutex);
    output.out(terminal ? shown : lines);
    output.flush();
    return !output.closed() && !output.failure();
  };
  io.err = [&](std::string_view lines) {
    const auto shown = console::safe_text(lines);
    const std::lock_guard lock(mutex);
    output.err(shown);
  };
  return io;
}

int run_agent(std::span<const std::string> words, StdOutput& output) {
  auto options = settings::parse_options(words, ::isatty(STDOUT_FILENO) == 1);
  if (!options) {
    output.err(console::safe_text(describe(options.error())) + "\n");
    return 1;
  }
  if (options->version || options->help) {
    output.out(options->version ? version_line() : settings::options_help());
    return 0;
  }
  std::error_code error;
  auto cwd = std::filesystem::current_path(error);
  if (error) {
    return report(fail_errno(error.value(), "cannot determine the current directory").error(),
                  output);
  }

  std::mutex mutex;
  wire::Agent agent({*std::move(options), settings::Environment(environment()), std::move(cwd),
                     make_io(output, mutex), RALPH_VERSION, ::geteuid() == 0});
  const StopSignals signals([&](int signal_number) {
    output.set_drain_timeout(kAgentDrainTimeout);
    agent.on_signal(signal_number);
  });
  const ReaderWatch watch(STDOUT_FILENO, [&] { agent.lose_reader(); });
  return agent.run();
}

int never_called(const Arguments&, StdOutput&) { return 1; }

constexpr Example kAgentExamples[] = {
    {"ralph agent -p 'What does this project do?'", "print one answer as text"},
    {"ralph agent -p 'Fix it' --output-format stream-json --verbose",
     "print every event as it happens"},
    {"ln -s $(command -v ralph) ~/bin/claude", "for clients that look for claude"},
};

}  // namespace

constinit const Command kAgentCommand{
    "agent",
    "run ralph's own coding agent, with Claude Code's command line",
    "Replaces the Claude Code binary in headless use: the same options and the same stream-json "
    "input\n"
    "and output, with direct calls of the Messages API. Also runs when this program is called "
    "'claude'.\n"
    "'ralph agent --help' lists its options; 'ralph docs agent' describes it.",
    {},
    {},
    kAgentExamples,
    never_called,
    {},
    nullptr,
    run_agent,
};

}  // namespace ralph::cli

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "core/base/file.h"
#include "core/base/mask.h"
#include "core/base/number.h"
#include "core/json/writer.h"
#include "mock/recorder.h"
#include "mock/server.h"
#include "system/process/supervise.h"

namespace ralph::cli {
namespace {

constexpr std::string_view kDefaultText = "Hello from ralph mock.";
constexpr std::string_view kKeyForTheCommand = "mock-key";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::uint16_t> parse_port(std::string_view text) {
  if (const auto port = parse_number<std::uint16_t>(text)) return *port;
  return fail(Code::usage, fmt::format("--port takes a number from 0 to 65535, not '{}'", text));
}

Result<> check_recording(const Arguments& arguments) {
  if (!arguments.flag("record")) {
    if (!arguments.flag("out")) return {};
    return fail(Code::usage, "--out requires --record URL; to log requests, use --log FILE");
  }
  const auto url = arguments.value("record");
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return fail(Code::usage,
                fmt::format("--record takes a URL like https://api.anthropic.com, not '{}'", url));
  }
  if (!arguments.positional(0).empty() || arguments.flag("text") || arguments.flag("cache")) {
    return fail(Code::usage, "--record cannot be combined with a scenario, --text or --cache");
  }
  if (!arguments.flag("out")) return fail(Code::usage, "--record requires --out FILE");
  return {};
}

/// Options that cannot be combined.
Result<> check_options(const Arguments& arguments) {
  TRY(check_recording(arguments));
  if (arguments.flag("exec") && arguments.rest().empty()) {
    return fail(Code::usage, "--exec requires a command: --exec -- COMMAND ARGUMENTS…");
  }
  if (!arguments.positional(0).empty() && arguments.flag("text")) {
    return fail(Code::usage, "a scenario cannot be combined with --text");
  }
  if (!arguments.flag("exec") && !arguments.rest().empty()) {
    return fail(Code::usage,
                fmt::format("to run '{}', add --exec before '--'", arguments.rest().front()));
  }
  return {};
}

Result<mock::Scenario> scenario_of(const Arguments& arguments) {
  const auto given = arguments.positional(0);
  if (given.starts_with('{')) return mock::read_scenario(given, "SCENARIO");
  if (!given.empty()) {
    const auto text = read_file(std::string(given));
    if (text) return mock::read_scenario(*text, given);
    return fail(text.error().code, text.error().message,
                "SCENARIO is a file, or JSON that begins with '{'");
  }
  auto texts = arguments.all("text");
  if (texts.empty()) texts.emplace_back(kDefaultText);
  return mock::scenario_of_texts(texts);
}

void announce(const mock::Server& server, bool json, StdOutput& output) {
  std::string line;
  if (json) {
    json::ObjectWriter(line)
        .text("url", server.url())
        .number("port", std::int64_t{server.port()})
        .close();
  } else {
    line = "listening on " + server.url();
  }
  output.out(line + "\n");
  output.flush();
}

/// Requests to the mock must not go through a proxy.
process::EnvChange without_proxy(const char* name) {
  const auto before = variable(name);
  return {name, before.empty() ? "127.0.0.1" : before + ",127.0.0.1"};
}

process::Command command_against(const mock::Server& server, const Arguments& arguments) {
  process::Command command;
  command.argv = arguments.rest();
  command.transport = process::Transport::inherit;
  command.env = {
      {"ANTHROPIC_BASE_URL", server.url()}, without_proxy("NO_PROXY"), without_proxy("no_proxy")};
  const bool scripted = !arguments.flag("record");
  if (scripted && variable("ANTHROPIC_API_KEY").empty()) {
    command.env.push_back({"ANTHROPIC_API_KEY", std::string(kKeyForTheCommand)});
  }
  return command;
}

/// Signals for the command of --exec: it gets the first two SIGINT, which it may read as "finish" and "stop now"; any
/// other signal ends it and all of its processes.
struct CommandStop {
  process::RunHandle watch;
  std::stop_source now;
  std::atomic<bool> runs = false;
  int asked = 0;  // used by the signal thread only

  void take(int signal_number) {
    if (signal_number == SIGINT && runs && ++asked <= 2) return watch.send_signal(SIGINT);
    now.request_stop();
  }
};

/// As a shell reports it.
int exit_code_of(const process::Exit& exit, int stop_signal) {
  if (stop_signal != 0) return 128 + stop_signal;
  if (exit.signal) return 128 + *exit.signal;
  return exit.exit_code.value_or(1);
}

Result<int> run_against(const mock::Server& server, const Arguments& arguments,
                        const StopSignals& signals, CommandStop& stop) {
  stop.runs = true;  // before the start: the handle keeps an early signal
  TRY_ASSIGN(auto child, process::start(command_against(server, arguments)));
  const auto exit = process::supervise(std::move(child), {}, stop.watch, stop.now.get_token());
  return exit_code_of(exit, stop.now.stop_requested() ? signals.received() : 0);
}

/// Serves until the command of --exec ends, or until a signal.
Result<int> serve(mock::Server& server, const Arguments& arguments, StopSignals& signals,
                  CommandStop& stop, StdOutput& output) {
  int code = 0;
  if (arguments.flag("exec")) {
    TRY_ASSIGN(code, run_against(server, arguments, signals, stop));
  } else {
    announce(server, arguments.flag("json"), output);
    signals.wait();
  }
  server.stop();
  if (const auto failure = server.failure()) return std::unexpected(*failure);
  return code;
}

Result<std::unique_ptr<mock::Server>> start(const Arguments& arguments, std::uint16_t port) {
  const Masker masker(environment());
  const mock::ServerOptions options{port, std::string(arguments.value("log")), masker,
                                    arguments.flag("cache")};
  if (arguments.flag("record")) {
    TRY_ASSIGN(auto recorder, mock::Recorder::open({std::string(arguments.value("record")),
                                                    std::string(arguments.value("out")), masker}));
    return mock::Server::start(std::move(recorder), options);
  }
  TRY_ASSIGN(auto scenario, scenario_of(arguments));
  return mock::Server::start(std::move(scenario), options);
}

int mock_command(const Arguments& arguments, StdOutput& output) {
  const auto usage = [&](const Error& error) { return report_usage(error, &kMockCommand, output); };
  if (const auto sensible = check_options(arguments); !sensible) return usage(sensible.error());
  const auto port = parse_port(arguments.value("port", "0"));
  if (!port) return usage(port.error());

  CommandStop stop;
  std::function<void(int)> take;
  if (arguments.flag("exec")) take = [&](int signal_number) { stop.take(signal_number); };
  StopSignals signals(std::move(take));
  const auto server = start(arguments, *port);
  if (!server) return report(server.error(), output);
  const auto code = serve(**server, arguments, signals, stop, output);
  return code ? *code : report(code.error(), output);
}

constexpr Positional kMockPositionals[] = {
    {"SCENARIO", "a JSON file with the answers, or JSON text; described in 'ralph docs mock'",
     Need::optional},
};
constexpr Option kMockOptions[] = {
    {"--text", "TEXT", "answer with this text; repeatable: one after the other"},
    {"--port", "N", "the port to listen on (default: 0, any free port)"},
    {"--cache", "", "simulate the API's prompt cache and report it in usage"},
    {"--log", "FILE", "log every request to FILE as a line of JSON, with secrets masked"},
    {"--record", "URL", "forward every request to URL and save the answers as a scenario"},
    {"--out", "FILE", "the scenario file that --record writes"},
    {"--json", "", "print the address as JSON"},
    {"--exec", "", "run COMMAND against the mock and exit with its exit code"},
};
constexpr Example kMockExamples[] = {
    {"ralph mock --text 'Hello' --port 8080", "answer every request with Hello"},
    {"ralph mock scenario.json --log requests.ndjson", "play a scenario and log the requests"},
    {"ralph mock --text 'Done.' --exec -- claude -p 'Do it'", "run Claude Code offline"},
    {"ralph mock '{\"steps\": [{\"error\": 529}, {\"text\": \"back\"}]}' --exec -- claude -p hi",
     "test how it handles an overloaded API"},
    {"ralph mock --cache --log requests.ndjson --exec -- claude -p hi",
     "see what would be billed: each line of the log has the usage"},
    {"ralph mock --record https://api.anthropic.com --out s.json --exec -- claude -p hi",
     "record a session; play it again with: ralph mock s.json"},
};

}  // namespace

constinit const Command kMockCommand{
    "mock",
    "run a scripted Messages API on this machine, for tests",
    "Answers like the Anthropic Messages API on 127.0.0.1, from a script, until SIGINT or "
    "SIGTERM.\n"
    "With --exec, COMMAND runs with ANTHROPIC_BASE_URL set to the mock (and ANTHROPIC_API_KEY, if "
    "it\n"
    "is not set); the exit code is COMMAND's, or 128 plus its signal.\n"
    "With --record, requests are forwarded to URL and the answers are saved as a scenario.",
    kMockPositionals,
    kMockOptions,
    kMockExamples,
    mock_command,
    "COMMAND…",
};

}  // namespace ralph::cli

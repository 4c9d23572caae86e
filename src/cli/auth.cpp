#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/settings/settings.h"
#include "agent/settings/stored_key.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/file.h"
#include "core/base/secret_line.h"
#include "core/base/text.h"
#include "core/json/writer.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kLongestKey = 16 << 10;

/// From a terminal without echo, or all of stdin.
Result<std::string> ask_for_key(StdOutput& output) {
  if (::isatty(STDIN_FILENO) == 1) {
    output.err("API key (input is hidden): ");
    TRY_ASSIGN(auto line, read_secret_line(STDIN_FILENO));
    output.err("\n");
    return std::string(trim(line));
  }
  TRY_ASSIGN(auto text, read_fd(STDIN_FILENO, "stdin", kLongestKey));
  return std::string(trim(text));
}

Result<> check_key(std::string_view key) {
  if (key.empty()) {
    return fail(Code::usage, "no API key given", "type the key, or run: ralph auth login < FILE");
  }
  for (const char byte : key) {
    const bool printable = byte > ' ' && byte < 0x7f;
    if (!printable)
      return fail(Code::usage,
                  "invalid API key: it must be one word of printable ASCII characters");
  }
  return {};
}

int login(const settings::Environment& environment, StdOutput& output) {
  const auto key = ask_for_key(output);
  if (!key) return report(key.error(), output);
  if (const auto good = check_key(*key); !good) return report(good.error(), output);
  if (const auto stored = settings::store_key(environment, *key); !stored) {
    return report(stored.error(), output);
  }
  output.out(fmt::format("stored in {}\n", settings::stored_key_path(environment).string()));
  return 0;
}

int logout(const settings::Environment& environment, StdOutput& output) {
  const auto forgotten = settings::forget_key(environment);
  if (!forgotten) return report(forgotten.error(), output);
  output.out(*forgotten ? "stored API key removed\n" : "no API key stored\n");
  return 0;
}

/// The credential the agent would use; runs no apiKeyHelper. Empty: none.
Result<std::string> credential_source(const settings::Environment& environment) {
  for (const auto* name : {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}) {
    if (!environment.get(name).empty()) return name;
  }
  TRY_ASSIGN(const auto settings, settings::read_settings({}, environment, "/"));
  if (!settings.api_key_helper.empty()) return "apiKeyHelper";
  TRY_ASSIGN(const auto stored, settings::read_stored_key(environment));
  return stored ? settings::stored_key_path(environment).string() : "";
}

int show_credential(const settings::Environment& environment, bool json, StdOutput& output) {
  const auto source = credential_source(environment);
  if (!source) return report(source.error(), output);
  if (json) {
    std::string line;
    json::ObjectWriter writer(line);
    writer.boolean("logged_in", !source->empty());
    if (!source->empty()) writer.text("source", *source);
    writer.close();
    output.out(line + "\n");
  } else if (source->empty()) {
    output.out("no credential: set ANTHROPIC_API_KEY, or run 'ralph auth login'\n");
  } else {
    output.out(fmt::format("ralph's own agent uses {}\n", *source));
  }
  return source->empty() ? 1 : 0;
}

int auth_command(const Arguments& arguments, StdOutput& output) {
  const settings::Environment environment(cli::environment());
  const auto what = arguments.positional(0);
  if (what == "login") return login(environment, output);
  if (what == "logout") return logout(environment, output);
  if (what == "status") return show_credential(environment, arguments.flag("json"), output);
  return report_usage(
      {Code::usage, fmt::format("unknown action '{}': login, status or logout", what), {}},
      &kAuthCommand, output);
}

constexpr Positional kAuthPositionals[] = {{"ACTION", "login, status or logout"}};
constexpr Option kAuthOptions[] = {{"--json", "", "print the status as JSON"}};
constexpr Example kAuthExamples[] = {
    {"ralph auth login", "ask for an API key and store it"},
    {"ralph auth login < key.txt", "read it from a file"},
    {"ralph auth status", "show which credential ralph's own agent uses; exit code 1: none"},
};

}  // namespace

constinit const Command kAuthCommand{
    "auth",
    "store, show or remove the API key of ralph's own agent",
    "Stores an API key for 'ralph agent' in ~/.config/ralph/auth.json, readable by you only. It "
    "is\n"
    "used if ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and apiKeyHelper are not set.",
    kAuthPositionals,
    kAuthOptions,
    kAuthExamples,
    auth_command,
};

}  // namespace ralph::cli

#include <filesystem>
#include <string>

#include <fmt/core.h>

#include "agent/settings/settings.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"

namespace ralph::cli {
namespace {

int trust_command(const Arguments& arguments, StdOutput& output) {
  const settings::Environment environment(cli::environment());
  std::error_code error;
  const auto given = arguments.positional(0);
  const auto folder = std::filesystem::canonical(given.empty() ? "." : given, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return report(
        {Code::not_found, fmt::format("'{}' is not a directory", given.empty() ? "." : given), {}},
        output);
  }
  if (arguments.flag("status")) {
    const bool trusted = settings::is_trusted(environment, folder);
    output.out(fmt::format("{} is {}trusted\n", folder.string(), trusted ? "" : "not "));
    return trusted ? 0 : 1;
  }
  const bool trusted = !arguments.flag("remove");
  if (const auto set = settings::set_trust(environment, folder, trusted); !set) {
    return report(set.error(), output);
  }
  output.out(fmt::format("{} is {} trusted\n", folder.string(), trusted ? "now" : "no longer"));
  if (!trusted && settings::is_trusted(environment, folder)) {
    warn("Claude Code's own settings (~/.claude.json) still trust it", output);
  }
  return 0;
}

constexpr Positional kTrustPositionals[] = {
    {"DIR", "the directory (default: the current one)", Need::optional}};
constexpr Option kTrustOptions[] = {
    {"--remove", "", "stop trusting it"},
    {"--status", "", "show whether it is trusted; exit code 1: it is not"},
};
constexpr Example kTrustExamples[] = {
    {"ralph trust", "apply the permissions in .claude/settings.json of this directory"},
    {"ralph trust --remove ../other", "ignore those of another directory"},
};

}  // namespace

constinit const Command kTrustCommand{
    "trust",
    "trust the permissions in a repository's settings",
    "A repository's .claude/settings.json can allow tools without asking. ralph's own agent "
    "applies\n"
    "that only in directories you trust: anyone who can change the repository can change the file.",
    kTrustPositionals,
    kTrustOptions,
    kTrustExamples,
    trust_command,
};

}  // namespace ralph::cli

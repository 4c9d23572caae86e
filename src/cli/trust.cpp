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
        {Code::not_found, fmt::format("'{}' is not a folder", given.empty() ? "." : given), {}},
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
    warn("Claude Code's own record (~/.claude.json) still trusts it", output);
  }
  return 0;
}

constexpr Positional kPositionals[] = {{"FOLDER", "without it: this one", Need::optional}};
constexpr Option kOptions[] = {
    {"--remove", "", "trust it no longer"},
    {"--status", "", "say whether it is trusted; exit 1: it is not"},
};
constexpr Example kExamples[] = {
    {"ralph trust", "what .claude/settings.json allows here counts from now on"},
    {"ralph trust --remove ../other", "no longer there"},
};

}  // namespace

constinit const Command kTrustCommand{
    "trust",
    "let a repository's settings allow things to ralph's own agent",
    "A repository's .claude/settings.json may allow tools to be used without asking. That counts "
    "only\n"
    "in folders you trust: whoever can change the repository can change that file.",
    kPositionals,
    kOptions,
    kExamples,
    trust_command,
};

}  // namespace ralph::cli

#include "agent/settings/credential.h"

#include <array>
#include <string_view>

#include <fmt/core.h>

#include "agent/settings/stored_key.h"
#include "core/base/text.h"
#include "system/process/capture.h"

namespace ralph::settings {
namespace {

constexpr Millis kHelperLimit{60'000};
constexpr std::size_t kLongestKey = 64 << 10;
constexpr std::array<std::string_view, 3> kClouds{
    "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"};

/// Runs the user's command; its output is the key.
Result<std::string> run_helper(const std::string& helper, const std::stop_token& stop) {
  process::Command command;
  command.argv = {"/bin/sh", "-c", helper};
  TRY_ASSIGN(const auto helped,
             process::capture(command, {.wall = kHelperLimit, .bytes = kLongestKey}, stop));
  if (helped.cut) return fail(Code::limit, "it printed too much");
  if (!helped.ok()) {
    const auto why = helped.exit.ended_by == process::EndedBy::wall
                         ? "still running after " + format_duration(kHelperLimit)
                         : fmt::format("exit code {}", helped.exit.exit_code.value_or(-1));
    return fail(Code::unavailable, fmt::format("{} {}", why, trim(helped.err)));
  }
  return std::string(trim(helped.out));
}

}  // namespace

Result<Login> find_login(const Environment& environment, const Settings& settings,
                         const std::stop_token& stop) {
  for (const auto cloud : kClouds) {
    if (!environment.on(cloud)) continue;
    return fail(Code::usage,
                fmt::format("{} is set, but ralph's agent supports only the Messages API", cloud),
                "unset it, or use the Claude Code binary for this provider");
  }
  Login login;
  login.credential.api_key = std::string(trim(environment.get("ANTHROPIC_API_KEY")));
  login.credential.token = std::string(trim(environment.get("ANTHROPIC_AUTH_TOKEN")));
  if (!login.credential.api_key.empty()) login.source = "ANTHROPIC_API_KEY";
  if (login.found()) return login;

  if (!settings.api_key_helper.empty()) {
    login.source = "apiKeyHelper";
    auto key = run_helper(settings.api_key_helper, stop);
    if (!key) {
      login.notes.push_back(fmt::format("apiKeyHelper failed: {}", describe(key.error())));
    } else if (key->empty()) {
      login.notes.emplace_back("apiKeyHelper failed: it printed nothing");
    } else {
      login.credential = {*key, *key};
    }
    return login;
  }
  const auto stored = read_stored_key(environment);
  if (!stored) {
    login.notes.push_back(describe(stored.error()));
  } else if (*stored) {
    login.credential.api_key = **stored;
    login.source = "ralph auth login";
  }
  return login;
}

}  // namespace ralph::settings

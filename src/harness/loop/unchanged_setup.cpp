#include "harness/loop/unchanged_setup.h"

#include <fmt/ranges.h>

#include "core/base/utf8.h"
#include "harness/loop/start_check.h"

namespace ralph::loop {
namespace {

constexpr std::string_view kAccept = "--accept-changes accepts what is there now";

std::string quoted(const std::vector<std::string>& commands) {
  return commands.empty() ? "none" : fmt::format("`{}`", fmt::join(commands, "`, `"));
}

/// "model: sonnet, now opus".
std::string differences(const std::map<std::string, std::string>& old,
                        const std::map<std::string, std::string>& now, std::string_view missing) {
  const auto value = [&](const auto& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string(missing) : utf8::shortened(found->second, 80);
  };
  auto keys = old;
  keys.insert(now.begin(), now.end());
  std::string text;
  for (const auto& [key, ignored] : keys) {
    const bool same = old.contains(key) == now.contains(key) &&
                      (!old.contains(key) || old.at(key) == now.at(key));
    if (same) continue;
    text += fmt::format("{}{}: {}, now {}", text.empty() ? "" : "; ", key, value(old, key),
                        value(now, key));
  }
  return text;
}

Result<> check_verification(const store::LoopState& old, const Verifier& verifier) {
  if (old.verify_digest == verifier.files().digest()) return {};
  const auto moved = differences(old.verify_programs, verifier.files().programs(), "not found");
  const auto now = verifier.files().names();
  if (old.verify != now) {
    return fail(Code::usage,
                fmt::format("the verification commands changed since the loop began: {}, now {}",
                            quoted(old.verify), quoted(now)),
                fmt::format("check --verify, the setting 'verify' and .ralph/check; {}", kAccept));
  }
  if (old.verify_programs.empty() || moved.empty()) {
    return fail(Code::usage, "files that verification runs changed since the loop began",
                fmt::format("check .ralph/check and the scripts of {}; {}", quoted(now), kAccept));
  }
  return fail(Code::usage,
              "verification would run other programs than when the loop began (PATH): " + moved,
              fmt::format("restore PATH (the same virtual environment?), and check programs "
                          "that an agent may have created; {}",
                          kAccept));
}

Result<> check_repository(const Setup& setup, const store::LoopState& old,
                          const LoopRepository& repository) {
  if (!old.git_digest.empty() && old.git_digest != repository.settings_digest()) {
    return fail(Code::usage, "git's settings changed since the loop began",
                fmt::format("check .git/config, .git/info and flags of the index (git ls-files "
                            "-v); {}",
                            kAccept));
  }
  if (!setup.options.commit) return {};
  TRY_ASSIGN(const auto branch, repository.branch());
  return refuse_other_branch(old, branch);
}

}  // namespace

Result<> check_unchanged_setup(const Setup& setup, const store::LoopState& old,
                               const Verifier& verifier, const LoopRepository& repository) {
  if (setup.options.accept_changes) return {};
  const auto changed = differences(old.settings, setup.settings_before, "the default");
  if (!changed.empty()) {
    return fail(
        Code::usage, "settings changed since the loop began: " + changed,
        fmt::format("check ralph.yml, .ralph/config.yml and RALPH_ variables; {}", kAccept));
  }
  TRY(check_verification(old, verifier));
  return repository.git() == nullptr ? Result<>() : check_repository(setup, old, repository);
}

}  // namespace ralph::loop

#include "agent/hook/hook_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/settings_error.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::hook {
namespace {

using json::Document;

constexpr double kLongestTimeout = 7 * 24 * 3600;
constexpr std::string_view kHint =
    "correct it, set \"disableAllHooks\": true, or leave the file out with --setting-sources";

/// `async`: the agent waits for such a hook all the same.
constexpr std::array<std::string_view, 5> kKeys{"type", "command", "timeout", "statusMessage",
                                                "async"};
constexpr std::array<std::string_view, 4> kOtherTypes{"prompt", "agent", "http", "mcp_tool"};

/// Reads the hooks of one file.
class HookReader {
 public:
  HookReader(const std::string& file, Unsupported unsupported, HookSettings& settings)
      : file_(file), unsupported_(unsupported), settings_(settings) {}

  Result<> read(const Document& hooks) {
    if (hooks.is_null()) return {};
    if (!hooks.is_object()) return malformed("hooks", "it is not an object");
    for (const auto& [name, groups] : hooks.items()) {
      const auto place = fmt::format("hooks.{}", name);
      const auto event = parse_event(name);
      if (!event) {
        settings_.notes.push_back(
            fmt::format("ralph: {} in {} has no effect: there is no such event", place, file_));
        continue;
      }
      if (!groups.is_array()) return malformed(place, "it is not a list");
      for (std::size_t i = 0; i < groups.size(); ++i) {
        TRY(read_group(*event, groups[i], fmt::format("{}[{}]", place, i)));
      }
    }
    return {};
  }

 private:
  std::unexpected<Error> malformed(std::string_view place, std::string_view why) const {
    return fail(Code::usage,
                fmt::format("{}{} cannot be used: {}: {}. A hook may forbid something, so the "
                            "agent does not run without it",
                            kSettingsError, file_, place, why),
                std::string(kHint));
  }

  Result<> not_supported(std::string_view place, std::string_view what) {
    if (unsupported_ == Unsupported::refuse) {
      return fail(
          Code::unavailable,
          fmt::format("{} in {} has {}, which ralph's agent does not support", place, file_, what),
          "remove the hook, or use --accept-unsupported hooks to continue without it");
    }
    settings_.notes.push_back(fmt::format(
        "ralph: {} in {} does not run (--accept-unsupported): it has {}", place, file_, what));
    return {};
  }

  Result<> read_group(Event event, const Document& group, const std::string& place) {
    if (!group.is_object()) return malformed(place, "it is not an object");
    const auto& pattern = json::member(group, "matcher");
    if (!pattern.is_null() && !pattern.is_string()) {
      return malformed(place + ".matcher", "it is not a string");
    }
    const auto& hooks = json::member(group, "hooks");
    if (!hooks.is_array()) return malformed(place + ".hooks", "it is not a list");
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      auto matcher = Matcher::compile(json::text(group, "matcher"));
      if (!matcher) return malformed(place + ".matcher", matcher.error().message);
      TRY(read_hook(event, *std::move(matcher), hooks[i], fmt::format("{}.hooks[{}]", place, i)));
    }
    return {};
  }

  Result<> read_hook(Event event, Matcher matcher, const Document& hook, const std::string& place) {
    if (!hook.is_object()) return malformed(place, "it is not an object");
    const auto type = json::text(hook, "type");
    if (std::ranges::find(kOtherTypes, type) != kOtherTypes.end()) {
      return not_supported(place, fmt::format("the type '{}'", type));
    }
    if (type != "command") return malformed(place + ".type", "it is not \"command\"");
    const auto* const command = json::find_text(hook, "command");
    if (command == nullptr || is_blank(*command) || command->find('\0') != command->npos) {
      return malformed(place + ".command", "it is not a command line");
    }
    const auto timeout = read_timeout(json::member(hook, "timeout"));
    if (!timeout) return malformed(place + ".timeout", timeout.error().message);
    for (const auto& [key, value] : hook.items()) {
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        return not_supported(place, fmt::format("the key '{}'", key));
      }
    }
    settings_.hooks.push_back({event, std::move(matcher), *command, *timeout, file_});
    return {};
  }

  const std::string& file_;
  Unsupported unsupported_;
  HookSettings& settings_;
};

}  // namespace

Result<Millis> read_timeout(const Document& seconds) {
  if (seconds.is_null()) return kDefaultTimeout;
  if (!seconds.is_number() || seconds.get<double>() <= 0 ||
      seconds.get<double>() > kLongestTimeout) {
    return fail(Code::malformed, "it is not a number of seconds between 0 and a week");
  }
  return std::max(Millis{1}, Millis(static_cast<std::int64_t>(seconds.get<double>() * 1000)));
}

Result<> read_hook_settings(const Document& hooks, const std::string& file, Unsupported unsupported,
                            HookSettings& settings) {
  return HookReader(file, unsupported, settings).read(hooks);
}

}  // namespace ralph::hook

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

std::unexpected<Error> malformed(std::string_view place, std::string_view why) {
  return fail(Code::malformed, fmt::format("{}: {}", place, why));
}

/// Hooks of one event that have a matcher in common.
struct Group {
  Event event;
  const Document& members;
  std::string place;  // "hooks.Stop[0]"

  Result<Matcher> matcher() const {
    auto matcher = Matcher::compile(json::text(members, "matcher"));
    if (!matcher) return malformed(place + ".matcher", matcher.error().message);
    return matcher;
  }
};

/// `list`: the value of the event's member of "hooks".
Result<std::vector<Group>> groups_of(Event event, const Document& list) {
  const auto place = fmt::format("hooks.{}", to_string(event));
  if (!list.is_array()) return malformed(place, "it is not a list");
  std::vector<Group> groups;
  for (const auto& members : list) {
    groups.push_back({event, members, fmt::format("{}[{}]", place, groups.size())});
    const auto& group = groups.back();
    if (!members.is_object()) return malformed(group.place, "it is not an object");
    const auto& pattern = json::member(members, "matcher");
    if (!pattern.is_null() && !pattern.is_string()) {
      return malformed(group.place + ".matcher", "it is not a string");
    }
  }
  return groups;
}

/// In seconds; null: the default.
Result<Millis> timeout_of(const Document& members, const std::string& place) {
  const auto& seconds = json::member(members, "timeout");
  if (seconds.is_null()) return kDefaultTimeout;
  if (!seconds.is_number() || seconds.get<double>() <= 0 ||
      seconds.get<double>() > kLongestTimeout) {
    return malformed(place + ".timeout", "it is not a number of seconds between 0 and a week");
  }
  return std::max(Millis{1}, Millis(static_cast<std::int64_t>(seconds.get<double>() * 1000)));
}

/// Reads the hooks of one file.
class HookReader {
 public:
  HookReader(const std::string& file, Unsupported unsupported, HookSettings& settings)
      : file_(file), unsupported_(unsupported), settings_(settings) {}

  Result<> read(const Document& hooks) {
    if (hooks.is_null()) return {};
    if (!hooks.is_object()) return malformed("hooks", "it is not an object");
    for (const auto& [name, list] : hooks.items()) {
      const auto event = parse_event(name);
      if (!event) {
        settings_.notes.push_back(fmt::format(
            "ralph: hooks.{} in {} has no effect: there is no such event", name, file_));
        continue;
      }
      TRY_ASSIGN(const auto groups, groups_of(*event, list));
      for (const auto& group : groups) TRY(read_group(group));
    }
    return {};
  }

 private:
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

  Result<> read_group(const Group& group) {
    const auto& hooks = json::member(group.members, "hooks");
    if (!hooks.is_array()) return malformed(group.place + ".hooks", "it is not a list");
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      TRY_ASSIGN(auto matcher, group.matcher());
      TRY(read_hook(group.event, std::move(matcher), hooks[i],
                    fmt::format("{}.hooks[{}]", group.place, i)));
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
    TRY_ASSIGN(const auto timeout, timeout_of(hook, place));
    for (const auto& [key, value] : hook.items()) {
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        return not_supported(place, fmt::format("the key '{}'", key));
      }
    }
    settings_.hooks.push_back({event, std::move(matcher), *command, timeout, file_});
    return {};
  }

  const std::string& file_;
  Unsupported unsupported_;
  HookSettings& settings_;
};

Result<> read_callback_group(const Group& group, std::vector<CallbackHook>& hooks) {
  const auto& ids = json::member(group.members, "hookCallbackIds");
  if (!json::is_text_list(ids)) {
    return malformed(group.place + ".hookCallbackIds", "it is not a list of strings");
  }
  TRY_ASSIGN(const auto timeout, timeout_of(group.members, group.place));
  for (auto& id : json::texts(ids)) {
    TRY_ASSIGN(auto matcher, group.matcher());
    hooks.push_back({group.event, std::move(matcher), std::move(id), timeout});
  }
  return {};
}

}  // namespace

Result<> read_hook_settings(const Document& hooks, const std::string& file, Unsupported unsupported,
                            HookSettings& settings) {
  auto read = HookReader(file, unsupported, settings).read(hooks);
  if (read || read.error().code != Code::malformed) return read;
  return fail(Code::usage,
              fmt::format("{}{} cannot be used: {}. A hook may forbid something, so the agent does "
                          "not run without it",
                          kSettingsError, file, read.error().message),
              std::string(kHint));
}

Result<CallbackHooks> read_callback_hooks(const Document& hooks) {
  if (!hooks.is_null() && !hooks.is_object()) return malformed("hooks", "it is not an object");
  CallbackHooks read;
  for (const auto& [name, list] : hooks.items()) {
    const auto event = parse_event(name);
    if (!event || *event == Event::session_start || *event == Event::session_end) {
      read.events_without_effect.push_back(name);
      continue;
    }
    if (list.is_null()) continue;
    TRY_ASSIGN(const auto groups, groups_of(*event, list));
    for (const auto& group : groups) TRY(read_callback_group(group, read.hooks));
  }
  return read;
}

}  // namespace ralph::hook

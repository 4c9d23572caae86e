#pragma once
#include <string>
#include <vector>

#include "agent/hook/hooks.h"
#include "agent/hook/matcher.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/json/document.h"

namespace ralph::hook {

inline constexpr Millis kDefaultTimeout{60'000};

/// A hook of a settings file: a command for the shell.
struct CommandHook {
  Event event;
  Matcher matcher;
  std::string command;
  Millis timeout = kDefaultTimeout;
  std::string file;
};

struct HookSettings {
  std::vector<CommandHook> hooks;
  std::vector<std::string> notes;  // for stderr
};

enum class Unsupported { refuse, leave_out };

/// Adds the hooks of one settings file, the value of its member `hooks`. An error names file and key: Code::usage if they
/// are malformed, Code::unavailable if they are of a kind that ralph does not run, unless that is to be left out. Events
/// that do not exist are noted.
Result<> read_hook_settings(const json::Document& hooks, const std::string& file,
                            Unsupported unsupported, HookSettings& settings);

/// A hook that the client runs.
struct CallbackHook {
  Event event;
  Matcher matcher;
  std::string id;
  Millis timeout = kDefaultTimeout;
};

struct CallbackHooks {
  std::vector<CallbackHook> hooks;
  /// Events that do not exist, and start and end of a session, for which Claude Code does not ask the client either.
  std::vector<std::string> events_without_effect;
};

/// The hooks of a client: {EVENT: [{matcher, hookCallbackIds, timeout}]}, or null. An error names the malformed member.
Result<CallbackHooks> read_callback_hooks(const json::Document& hooks);

}  // namespace ralph::hook

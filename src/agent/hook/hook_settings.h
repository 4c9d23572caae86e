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

/// A time limit in seconds, as settings and clients give it; null: the default.
Result<Millis> read_timeout(const json::Document& seconds);

}  // namespace ralph::hook

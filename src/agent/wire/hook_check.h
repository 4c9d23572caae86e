#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/event.h"
#include "agent/settings/settings.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::wire {

/// Where hooks are tried.
struct HookContext {
  const settings::Settings& settings;
  const settings::Options& options;
  const settings::Environment& environment;
  std::filesystem::path cwd;
};

/// A hook in effect.
struct HookLine {
  hook::Event event;
  std::string matcher, command, file;
  Millis timeout{0};
  bool never_runs = false;  // the agent sends no notifications
};
struct HookLines {
  std::vector<HookLine> hooks;
  std::vector<std::string> notes;
};
Result<HookLines> list_hooks(const settings::Settings& settings, const settings::Options& options);

/// One hook that was tried.
struct TriedHook {
  std::string command;
  std::string out, err, problem;
  std::optional<int> exit_code;
  Millis duration{0};
};
struct HookTrial {
  std::vector<TriedHook> hooks;  // that match
  std::string effect;            // what would happen
};
/// Runs the hooks of `what`, "EVENT" or "EVENT:SUBJECT" (a tool, a source …), with an invented input.
Result<HookTrial> try_hooks(const HookContext& place, std::string_view what,
                            const std::stop_token& stop);

}  // namespace ralph::wire

#include "agent/session/local_command.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace ralph::session {
namespace {

/// Commands that Claude Code handles without the model, except /compact, which is a turn.
constexpr auto kNames = std::to_array<std::string_view>({
    "agents",      "autocompact", "bug",    "clear",          "color",         "config",
    "context",     "cost",        "doctor", "effort",         "exit",          "export",
    "fast",        "feedback",    "focus",  "help",           "hooks",         "ide",
    "login",       "logout",      "mcp",    "memory",         "model",         "output-style",
    "permissions", "plugin",      "recap",  "reload-plugins", "reload-skills", "rename",
    "resume",      "rewind",      "status", "statusline",     "usage",         "vim",
});

}  // namespace

bool is_local_command(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

std::string unavailable(std::string_view name) {
  return fmt::format("/{} is not available here: the model was not asked, and nothing was changed.",
                     name);
}

}  // namespace ralph::session

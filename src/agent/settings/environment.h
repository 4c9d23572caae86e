#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::settings {

/// The environment variables the agent was started with.
class Environment {
 public:
  /// "NAME=value" entries.
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  /// Empty: not set, or set to nothing.
  std::string get(std::string_view name) const;
  /// Set to something that is not a no.
  bool on(std::string_view name) const;
  /// nullopt: not set. Anything but a number counts as 0.
  std::optional<std::int64_t> number(std::string_view name) const;
  const std::vector<std::string>& entries() const { return entries_; }
  /// HOME, or what the system knows of this user: never a folder within the workspace.
  std::filesystem::path home() const;
  /// Claude Code's own files: CLAUDE_CONFIG_DIR or ~/.claude.
  std::filesystem::path config_folder() const;
  /// Our own: $XDG_CONFIG_HOME/ralph or ~/.config/ralph.
  std::filesystem::path own_config_folder() const;
  /// Our own records: $XDG_STATE_HOME/ralph or ~/.local/state/ralph.
  std::filesystem::path state_folder() const;

 private:
  std::vector<std::string> entries_;
};

}  // namespace ralph::settings

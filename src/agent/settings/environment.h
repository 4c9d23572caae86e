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

  /// nullopt: not set.
  std::optional<std::string> find(std::string_view name) const;
  /// Empty: not set, or set to the empty string.
  std::string get(std::string_view name) const { return find(name).value_or(""); }
  /// Set, and not to "0", "false", "no" or "off".
  bool on(std::string_view name) const;
  /// nullopt: not set. Anything but a number counts as 0.
  std::optional<std::int64_t> number(std::string_view name) const;
  const std::vector<std::string>& entries() const { return entries_; }
  /// HOME if it is absolute, else the home directory of the user database; always absolute.
  std::filesystem::path home() const;
  /// Claude Code's files: CLAUDE_CONFIG_DIR or ~/.claude.
  std::filesystem::path config_folder() const;
  /// ralph's configuration: $XDG_CONFIG_HOME/ralph or ~/.config/ralph.
  std::filesystem::path own_config_folder() const;
  /// ralph's records: $XDG_STATE_HOME/ralph or ~/.local/state/ralph.
  std::filesystem::path state_folder() const;

 private:
  std::vector<std::string> entries_;
};

}  // namespace ralph::settings

#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/settings.h"

namespace ralph::config {

/// What stood behind a flag, as often as it was given; nothing behind a boolean one.
struct FlagValue {
  Key key;
  std::vector<std::string> values;
};

/// Settings, and messages for the user about them.
struct Loaded {
  Settings settings;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

/// Combines settings, lowest level first: each add_*() overrides those before it. Errors are collected, so that finish()
/// can report all of them.
class Layers {
 public:
  /// Starts with the defaults. `home` replaces "~" in paths.
  explicit Layers(std::filesystem::path workspace, std::string home);

  /// Other names of a backend are mistakes, unless a flag gives them: the run then says what it knows.
  void allow_backends(std::vector<std::string> names) { backends_ = std::move(names); }
  /// The text of the settings file `name`; paths in it are relative to its directory.
  void add_file(std::string_view text, const std::filesystem::path& name);
  /// RALPH_<KEY> of these "NAME=value" entries; empty ones are ignored.
  void add_environment(std::span<const std::string> entries);
  void add_flags(std::span<const FlagValue> flags);
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  void add_mistake(std::string mistake) { mistakes_.push_back(std::move(mistake)); }

  /// The settings, or one error of Code::config that lists at most twenty errors.
  Result<Loaded> finish() &&;

 private:
  void add_entry(const Node::Key& key, const Node& value, const Node& whole,
                 const std::filesystem::path& file);
  void add_verify(const Node& map, const Node& whole, const std::filesystem::path& file);
  void add_pty_mode(const Node& value, const Node& whole, const std::filesystem::path& file);
  void add_variable(const Setting& setting, std::string_view text);
  void warn_of_unknown_variables(std::span<const std::string> entries);
  void add_flag(const FlagValue& flag);
  void unknown_key(const Node::Key& key, const std::filesystem::path& file);
  void take(const Setting& setting, const Node& node, Origin origin,
            const std::filesystem::path& folder);
  void check_backend(const std::string& name, const Origin& origin);
  void merge_env(std::vector<Pair> pairs, const Origin& origin);
  void resolve_rivals();

  std::filesystem::path workspace_;
  std::string home_;
  std::vector<std::string> backends_;
  int level_ = 0;
  Settings settings_;
  std::vector<std::string> notes_, warnings_, mistakes_;
};

}  // namespace ralph::config

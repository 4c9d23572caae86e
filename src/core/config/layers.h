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

/// Settings, and what the user should hear about them.
struct Loaded {
  Settings settings;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

/// Puts settings together, lowest level first: each add_*() beats those before it. Mistakes are
/// collected, not returned, so that finish() can name them all.
class Layers {
 public:
  /// Begins with the defaults. `home` is what "~/" in a path means.
  explicit Layers(std::filesystem::path workspace, std::string home);

  /// The text of a settings file called `name`; its relative paths begin in its folder.
  void add_file(std::string_view text, const std::filesystem::path& name);
  /// RALPH_<KEY> of these "NAME=value" entries; an empty one is not set.
  void add_environment(std::span<const std::string> entries);
  void add_flags(std::span<const FlagValue> flags);
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  void add_mistake(std::string mistake) { mistakes_.push_back(std::move(mistake)); }

  /// The settings; or one error of Code::config that lists the mistakes, twenty at most.
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
  void merge_env(std::vector<Pair> pairs, const Origin& origin);
  void settle_rivals();

  std::filesystem::path workspace_;
  std::string home_;
  int level_ = 0;
  Settings settings_;
  std::vector<std::string> notes_, warnings_, mistakes_;
};

}  // namespace ralph::config

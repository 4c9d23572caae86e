#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/config/setting.h"
#include "core/config/value.h"

namespace ralph::config {

/// Where a value came from.
struct Origin {
  enum class Kind { fallback, file, environment, flag };
  Kind kind = Kind::fallback;
  std::string name;  // the file's path, the variable, the flag
  int line = 0;      // in the file

  bool operator==(const Origin&) const = default;
};

/// "default", "ralph.yml:3", "RALPH_MODEL", "--model".
std::string describe(const Origin& origin);
/// "default", "file", "environment", "flag".
std::string_view to_string(Origin::Kind kind);

/// The valid value of each setting. Made by Layers.
/// Each getter is for keys of its kind; unset values are empty, nullopt or zero.
class Settings {
 public:
  /// Kinds text, choice and path.
  const std::string& text(Key key) const;
  bool boolean(Key key) const;
  std::optional<std::int64_t> integer(Key key) const;
  std::optional<double> money(Key key) const;
  /// Zero: no limit.
  Millis duration(Key key) const;
  /// Bytes.
  std::size_t size(Key key) const;
  /// Kinds list, words and lines.
  const std::vector<std::string>& list(Key key) const;
  const std::vector<Pair>& map(Key key) const;

  const Value& value(Key key) const { return item(key).value; }
  /// Of a map: the origin of its entry of the highest level.
  const Origin& origin(Key key) const { return item(key).origin; }
  /// Whether it is set on any level above the defaults.
  bool given(Key key) const { return item(key).level > 0; }
  /// The origin of variable `n` of `env`.
  const Origin& env_origin(std::size_t n) const { return env_origins_.at(n); }

 private:
  friend class Layers;
  struct Item {
    Value value;
    Origin origin;
    int level = 0;  // 0: the default; a higher one wins
  };
  const Item& item(Key key) const { return items_[static_cast<std::size_t>(key)]; }
  Item& item(Key key) { return items_[static_cast<std::size_t>(key)]; }

  std::array<Item, kKeys> items_;
  std::vector<Origin> env_origins_;
};

}  // namespace ralph::config

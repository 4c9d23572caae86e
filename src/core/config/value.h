#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/config/setting.h"
#include "core/config/yaml.h"

namespace ralph::config {

/// One NAME=value of a map.
struct Pair {
  std::string name, value;
  bool operator==(const Pair&) const = default;
};

/// The value of a setting: text, choice and path are a string; list, words and lines a vector.
/// monostate: not set.
using Value = std::variant<std::monostate, bool, std::int64_t, double, Millis, std::string,
                           std::vector<std::string>, std::vector<Pair>>;

/// Reads a value of the setting's kind. Relative paths are resolved against `folder`, "~/" against `home`. The error
/// names the value and what is valid; the caller adds the place.
Result<Value> read_value(const Setting& setting, const Node& node,
                         const std::filesystem::path& folder, const std::string& home);

/// As written in a file, on one line; not set: empty. Lists as "a, b", maps as "A=1, B=2".
std::string to_text(const Value& value, Kind kind);

}  // namespace ralph::config

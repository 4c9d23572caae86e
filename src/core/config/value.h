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

/// What a setting says, by its kind: text, choice and path are a string, list and words a vector.
/// monostate: not set.
using Value = std::variant<std::monostate, bool, std::int64_t, double, Millis, std::string,
                           std::vector<std::string>, std::vector<Pair>>;

/// Reads a value as its kind asks. Relative paths are put behind `folder`, "~/" behind `home`. The
/// error says what was found and what is allowed, not where.
Result<Value> read_value(const Setting& setting, const Node& node,
                         const std::filesystem::path& folder, const std::string& home);

/// As a file would say it, on one line; not set: empty. Lists as "a, b", maps as "A=1, B=2".
std::string to_text(const Value& value, Kind kind);

}  // namespace ralph::config

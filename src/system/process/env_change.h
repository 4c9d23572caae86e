#pragma once
#include <optional>
#include <string>

namespace ralph::process {

/// One change to the environment the program inherits from us: a value, or nullopt to remove it.
struct EnvChange {
  std::string name;
  std::optional<std::string> value;

  bool operator==(const EnvChange&) const = default;
};

}  // namespace ralph::process

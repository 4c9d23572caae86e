#include "core/config/settings.h"

#include <fmt/core.h>

namespace ralph::config {
namespace {

/// The value as a T; a default-constructed T if it is not set.
template <typename T>
const T& as(const Value& value) {
  static const T nothing{};
  const auto* held = std::get_if<T>(&value);
  return held == nullptr ? nothing : *held;
}

template <typename T>
std::optional<T> maybe(const Value& value) {
  const auto* held = std::get_if<T>(&value);
  return held == nullptr ? std::nullopt : std::optional(*held);
}

}  // namespace

std::string describe(const Origin& origin) {
  if (origin.kind == Origin::Kind::fallback) return "default";
  return origin.line > 0 ? fmt::format("{}:{}", origin.name, origin.line) : origin.name;
}

std::string_view to_string(Origin::Kind kind) {
  switch (kind) {
    case Origin::Kind::fallback: return "default";
    case Origin::Kind::file: return "file";
    case Origin::Kind::environment: return "environment";
    case Origin::Kind::flag: return "flag";
  }
  return "default";
}

const std::string& Settings::text(Key key) const { return as<std::string>(value(key)); }
bool Settings::boolean(Key key) const { return as<bool>(value(key)); }
std::optional<std::int64_t> Settings::integer(Key key) const {
  return maybe<std::int64_t>(value(key));
}
std::optional<double> Settings::money(Key key) const { return maybe<double>(value(key)); }
Millis Settings::duration(Key key) const { return as<Millis>(value(key)); }
std::size_t Settings::size(Key key) const {
  return static_cast<std::size_t>(as<std::int64_t>(value(key)));
}
const std::vector<std::string>& Settings::list(Key key) const {
  return as<std::vector<std::string>>(value(key));
}
const std::vector<Pair>& Settings::map(Key key) const { return as<std::vector<Pair>>(value(key)); }

}  // namespace ralph::config

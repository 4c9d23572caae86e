#include "core/json/field.h"

#include <nlohmann/json.hpp>

namespace ralph::json {

const Document& member(const Document& object, std::string_view key) {
  static const Document kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::string text(const Document& object, std::string_view key) {
  const auto& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool boolean(const Document& object, std::string_view key) {
  const auto& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

std::int64_t integer(const Document& object, std::string_view key) {
  const auto& value = member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::optional<double> number(const Document& object, std::string_view key) {
  const auto& value = member(object, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

}  // namespace ralph::json

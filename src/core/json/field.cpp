#include "core/json/field.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ralph::json {

const Document& member(const Document& object, std::string_view key) {
  static const Document kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

const std::string* find_text(const Document& object, std::string_view key) {
  return member(object, key).get_ptr<const std::string*>();
}

std::string text(const Document& object, std::string_view key) {
  const auto* const found = find_text(object, key);
  return found == nullptr ? std::string() : *found;
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

bool is_text_list(const Document& value) {
  const auto is_text = [](const Document& item) { return item.is_string(); };
  return value.is_array() && std::ranges::all_of(value, is_text);
}

std::vector<std::string> texts(const Document& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const auto& item : list) {
    if (const auto* const text = item.get_ptr<const std::string*>()) texts.push_back(*text);
  }
  return texts;
}

std::vector<std::string> texts(const Document& object, std::string_view key) {
  return texts(member(object, key));
}

}  // namespace ralph::json

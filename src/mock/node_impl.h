#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/result.h"
#include "json/document.h"

namespace ralph::mock {

/// A value inside a scenario that knows where it is, for errors that a person can follow.
struct Node {
  const json::Document& value;
  std::string file;
  std::string pointer;  // "/steps/0/text"

  Node member(const std::string& key) const { return {value[key], file, pointer + "/" + key}; }
  Node element(std::size_t n) const { return {value[n], file, fmt::format("{}/{}", pointer, n)}; }

  /// "scenario.json: step 2 (/steps/1/text) is a number; it must be a text".
  std::unexpected<Error> fail_here(std::string_view what, std::string hint = {}) const {
    return fail(Code::config, fmt::format("{}: {} {}", file, place(), what), std::move(hint));
  }
  std::unexpected<Error> wrong_type(std::string_view wanted) const {
    return fail_here(fmt::format("is {}; it must be {}", described(), wanted));
  }

  Result<std::string> text() const {
    if (!value.is_string()) return wrong_type("a text");
    return value.get<std::string>();
  }
  Result<std::int64_t> whole_number(std::int64_t least, std::int64_t most) const {
    const auto wanted = fmt::format("a whole number from {} to {}", least, most);
    if (!value.is_number_integer()) return wrong_type(wanted);
    const auto number = value.get<std::int64_t>();
    if (number < least || number > most) return wrong_type(wanted);
    return number;
  }

 private:
  std::string place() const {
    if (pointer.empty()) return "the scenario";
    constexpr std::string_view kSteps = "/steps/";
    if (!pointer.starts_with(kSteps)) return fmt::format("'{}'", pointer.substr(1));
    const auto number = std::stoul(pointer.substr(kSteps.size()));
    return fmt::format("step {} ({})", number + 1, pointer);
  }
  std::string described() const {
    if (value.is_number()) return value.dump();
    if (value.is_string()) return "a text";
    return value.is_boolean() ? "a boolean" : fmt::format("an {}", value.type_name());
  }
};

/// One key an object may have, and how its value gets into a T.
template <typename T>
struct Field {
  std::string_view key;
  Result<> (*read)(const Node& value, T& into);
};

template <typename T>
std::unexpected<Error> unknown_key(const Node& object, std::string_view key,
                                   std::span<const Field<T>> fields) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& field : fields) {
    known.emplace_back(field.key);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const auto near = nearest(key, known);
  const auto question = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  return object.fail_here(fmt::format("has an unknown key '{}'{}", key, question),
                          "known keys: " + list);
}

/// Every member of an object through the table, in the order of the file.
template <typename T>
Result<> read_fields(const Node& object, std::span<const Field<T>> fields, T& into) {
  if (!object.value.is_object()) return object.wrong_type("an object");
  for (const auto& [key, value] : object.value.items()) {
    const auto field = std::ranges::find(fields, std::string_view(key), &Field<T>::key);
    if (field == fields.end()) return unknown_key(object, key, fields);
    TRY(field->read(object.member(key), into));
  }
  return {};
}

}  // namespace ralph::mock

#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/base/result.h"
#include "core/json/document.h"
#include "mock/names_impl.h"

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
  Result<> must_be_object() const {
    if (!value.is_object()) return wrong_type("an object");
    return {};
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

/// "; did you mean 'text'?", or nothing.
inline std::string question(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

/// The words of a table, for an error: any range of things with that member.
template <typename Table, typename Member>
std::vector<std::string> words_of(const Table& table, Member member) {
  std::vector<std::string> words;
  words.reserve(std::size(table));
  for (const auto& row : table) words.emplace_back(row.*member);
  return words;
}

inline std::unexpected<Error> unknown_key(const Node& object, std::string_view key,
                                          const std::vector<std::string>& known) {
  return object.fail_here(fmt::format("has an unknown key '{}'{}", key, question(key, known)),
                          fmt::format("known keys: {}", fmt::join(known, ", ")));
}

/// The value a word of a table stands for.
template <typename T, std::size_t size>
Result<T> read_name(const Node& node, const std::array<Name<T>, size>& table) {
  TRY_ASSIGN(const auto text, node.text());
  const auto* found = std::ranges::find(table, text, &Name<T>::name);
  if (found != table.end()) return found->value;
  const auto known = words_of(table, &Name<T>::name);
  return node.fail_here(fmt::format("is '{}'{}", text, question(text, known)),
                        fmt::format("it must be one of: {}", fmt::join(known, ", ")));
}

/// Every member of an object through the table, in the order of the file.
template <typename T>
Result<> read_fields(const Node& object, std::span<const Field<T>> fields, T& into) {
  TRY(object.must_be_object());
  for (const auto& [key, value] : object.value.items()) {
    const auto field = std::ranges::find(fields, std::string_view(key), &Field<T>::key);
    if (field == fields.end()) {
      return unknown_key(object, key, words_of(fields, &Field<T>::key));
    }
    TRY(field->read(object.member(key), into));
  }
  return {};
}

inline Result<> set(std::string& into, const Node& value) {
  TRY_ASSIGN(into, value.text());
  return {};
}
template <typename Number>
Result<> set(Number& into, const Node& value, std::int64_t least, std::int64_t most) {
  TRY_ASSIGN(const auto number, value.whole_number(least, most));
  into = Number(number);
  return {};
}

}  // namespace ralph::mock

#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/json/document.h"
#include "mock/scenario_names_impl.h"

namespace ralph::mock {

/// A value in a scenario together with its place in the file, which errors name.
struct Node {
  const json::Document& value;
  std::string file;
  std::string pointer;  // "/steps/0/text"

  Node member(const std::string& key) const;
  Node element(std::size_t n) const;

  /// "scenario.json: step 2 (/steps/1/text) is 5; it must be a string".
  std::unexpected<Error> fail_here(std::string_view what, std::string hint = {}) const;
  std::unexpected<Error> wrong_type(std::string_view wanted) const;

  Result<std::string> text() const;
  Result<> must_be_object() const;
  Result<std::int64_t> whole_number(std::int64_t least, std::int64_t most) const;

 private:
  std::string place() const;
  std::string described() const;
};

/// A valid key of an object, and how its value is read into a T.
template <typename T>
struct Field {
  std::string_view key;
  Result<> (*read)(const Node& value, T& into);
};

/// "; did you mean 'text'?", or nothing.
std::string question(std::string_view word, const std::vector<std::string>& known);

/// One member of every row of a table, for error messages.
template <typename Table, typename Member>
std::vector<std::string> words_of(const Table& table, Member member) {
  std::vector<std::string> words;
  words.reserve(std::size(table));
  for (const auto& row : table) words.emplace_back(row.*member);
  return words;
}

std::unexpected<Error> unknown_key(const Node& object, std::string_view key,
                                   const std::vector<std::string>& known);
std::unexpected<Error> unknown_name(const Node& node, std::string_view name,
                                    const std::vector<std::string>& known);

/// The value of a name in a table.
template <typename T, std::size_t size>
Result<T> read_name(const Node& node, const std::array<Name<T>, size>& table) {
  TRY_ASSIGN(const auto text, node.text());
  const auto* found = std::ranges::find(table, text, &Name<T>::name);
  if (found != table.end()) return found->value;
  return unknown_name(node, text, words_of(table, &Name<T>::name));
}

/// Reads every member of an object by the table, in the order of the file.
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

Result<> set(std::string& into, const Node& value);
template <typename Number>
Result<> set(Number& into, const Node& value, std::int64_t least, std::int64_t most) {
  TRY_ASSIGN(const auto number, value.whole_number(least, most));
  into = Number(number);
  return {};
}

}  // namespace ralph::mock

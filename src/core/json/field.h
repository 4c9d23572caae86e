#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/document.h"

namespace ralph::json {

// Reading members of documents that others wrote: a member that is missing or of another type, or a value that is not an
// object, gives the empty value.

/// null: there is none.
const Document& member(const Document& object, std::string_view key);
/// nullptr: there is none, or it is not a string.
const std::string* find_text(const Document& object, std::string_view key);
std::string text(const Document& object, std::string_view key);
bool boolean(const Document& object, std::string_view key);
std::int64_t integer(const Document& object, std::string_view key);
std::optional<double> number(const Document& object, std::string_view key);
/// An array of strings only.
bool is_text_list(const Document& value);
/// The strings of an array; elements of other types are left out.
std::vector<std::string> texts(const Document& list);
std::vector<std::string> texts(const Document& object, std::string_view key);

}  // namespace ralph::json

#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/json/document.h"

namespace ralph::schema {

using json::Document;

/// Is `value` nested more than `limit` levels deep? Never recurses deeper than that.
bool deeper_than(const Document& value, std::size_t limit);

/// Appends a text that is the same for equal values (1 and 1.0, keys in any order) and different for
/// others. Gives up and returns false once `out` is longer than `longest`.
bool append_canonical(std::string& out, const Document& value,
                      std::size_t longest = std::string::npos);

/// 1, 1.0 and 1e300 are integers.
bool is_integer(const Document& number);

/// As JavaScript writes it: 0.0001, not 1e-04.
std::string number_text(const Document& number);

/// Exact for every number a document can hold.
long double number_of(const Document& number);

/// Whether `number` is a whole multiple of `divisor` (> 0), both taken as the decimals they are
/// written as: 4.02 is one of 0.01.
bool is_multiple(const Document& number, const Document& divisor);

}  // namespace ralph::schema

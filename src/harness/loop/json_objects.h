#pragma once
#include <string_view>

namespace ralph::loop {

/// The last JSON object of a text that has `key` at its top level, as it is written; empty: there is none. What stands
/// around it may be anything; a piece of it that looks like an object but is none is passed over. Time is linear in the
/// text. `key` is written without escapes. Numbers and words are not checked: the caller parses.
std::string_view last_object_with(std::string_view text, std::string_view key);

}  // namespace ralph::loop

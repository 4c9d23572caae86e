#pragma once
#include <string>

#include "core/base/result.h"
#include "core/json/document.h"
#include "harness/store/location.h"

namespace ralph::store {

/// The JSON object in a state file; an empty one when there is no file. What is there and is not an
/// object that `good` accepts is moved aside, and `warning` says what was wrong and where it is now.
Result<json::Document> load_state(const Location& file, bool (*good)(const json::Document&),
                                  std::string& warning);

/// The same, but what cannot be read stays where it is, and counts as empty.
json::Document peek_state(const Location& file, bool (*good)(const json::Document&),
                          std::string& warning);

/// Replaces the file atomically.
Result<> save_state(const Location& file, const json::Document& state);

}  // namespace ralph::store

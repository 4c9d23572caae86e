#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"

namespace ralph::json {

/// A JSON value that keeps the order of its keys. Include <nlohmann/json.hpp> in sources that look inside, document_value.h in
/// headers whose types hold one.
using Document = nlohmann::ordered_json;

inline constexpr std::size_t kMaxDepth = 512;

/// Reads one JSON text, tolerantly: a byte order mark, lone surrogate escapes and invalid UTF-8 are
/// repaired, the last of several equal keys wins. Errors name the position; `name` says what was read.
Result<Document> parse(std::string_view text, std::string_view name = "JSON");

/// One line, keys in order, non-ASCII as it is. Never throws: invalid UTF-8 becomes U+FFFD.
std::string write(const Document& document);
/// Indented by two spaces, with a final newline.
std::string write_pretty(const Document& document);

}  // namespace ralph::json

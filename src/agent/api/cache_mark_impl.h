#pragma once
#include <string_view>

namespace ralph::api {

/// Whether a cache mark can be inserted before the "}]" of a JSON array on one line: its last object exists, has no mark
/// yet, and is neither a thinking block nor an empty text. Reads only that object, from the end of the array.
bool may_be_marked(std::string_view array);

}  // namespace ralph::api

#pragma once
#include <string_view>

namespace ralph::api {

/// Whether the last object of a JSON array on one line can take a cache mark before its "}]": there is one, it has no
/// mark yet, and it is neither a thinking block nor an empty text. Reads the array from its end, that object only.
bool may_be_marked(std::string_view array);

}  // namespace ralph::api

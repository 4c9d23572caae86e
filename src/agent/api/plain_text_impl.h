#pragma once
#include <string>
#include <string_view>

namespace ralph::api {

/// The words of a page or text on one short line: no tags, scripts or runs of blanks.
std::string one_line_of(std::string_view page);

}  // namespace ralph::api

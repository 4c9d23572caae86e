#pragma once
#include <string>
#include <string_view>

namespace ralph::api {

/// The text of an HTML page or plain text on one short line, without tags, scripts and repeated spaces.
std::string one_line_of(std::string_view page);

}  // namespace ralph::api
